"""Lines that give orders: standing ones, and those that matter."""

from __future__ import annotations

from metier.review.matching.re2 import matches

_STANDING = (
    r"\b(?:always|never|every time|whenever|from now on|at all times|in all cases|no matter)\b"
    r"|\bunder no circumstances\b|\bwithout exception\b"
    r"|\b(?:before|after|on|for|at the (?:start|end|beginning) of) (?:every|each|any|all) \w+"
    r"|\b(?:do not|don'?t) (?:ever|tell|mention|ask)\b|\bmust (?:always|never|not)\b"
    r"|\b(?:by default|permanently|for ever|forever)\b,? (?:\w+ ){0,2}?(?:use|run|do|add|send|set)"
)
_RISKY = (
    r"https?://|\b(?:curl|wget|ssh|scp|nc|sudo|eval|exec|chmod|crontab|base64|powershell|npx|pip3? install)\b|\brm -"
    r"|\bnpm i(?:nstall)?\b|\bgit push\b|~/\.|/etc/|\.env\b"
    r"|\b(?:ignore|disregard|override|bypass|disable|delete|send|upload|post|forward|exfiltrate|install|download)\b"
    r"|\b(?:run|execute|grant|approve|trust)\b"
    r"|\b(?:password|token|secret|credential|api[_ -]?key|private key)s?\b"
)


def is_standing(line: str) -> bool:
    """Whether a line gives an order that holds from now on."""
    return matches(_STANDING, line)


def is_risky(line: str) -> bool:
    """Whether a line orders something that matters: an address, a program, a secret, or an order beyond the task."""
    return matches(_RISKY, line) or is_standing(line)
