"""Every rule of review in one place: for findings, for `--explain` and for the documents."""

from __future__ import annotations

from functools import cache

from metier.errors import NotFoundError
from metier.review.rules import hidden_text as hidden
from metier.review.rules import layer_findings as layers
from metier.review.rules import other_languages as languages
from metier.review.rules.execution import destruction as damage
from metier.review.rules.execution import fake_setup as setups
from metier.review.rules.execution import persistence as lasting
from metier.review.rules.execution import remote_code as running
from metier.review.rules.execution import self_propagation as rooting
from metier.review.rules.execution import unsafe_scripts as flaws
from metier.review.rules.exfiltration import data_flows as flows
from metier.review.rules.exfiltration import orders_to_leak as leaks
from metier.review.rules.exfiltration import secrets as theft
from metier.review.rules.exfiltration import taking
from metier.review.rules.exfiltration import undeclared_hosts as strays
from metier.review.rules.exfiltration import unknown_hosts as strangers
from metier.review.rules.prompt_injection import deception as deceit
from metier.review.rules.prompt_injection import disabled_guards as unbound
from metier.review.rules.prompt_injection import divided_loyalty as intents
from metier.review.rules.prompt_injection import false_authority as obedience
from metier.review.rules.prompt_injection import overrides as orders
from metier.review.rules.prompt_injection import plain_words as plain
from metier.review.rules.prompt_injection import probing as probes
from metier.review.rules.prompt_injection import side_tasks as errands
from metier.review.rules.prompt_injection import takeover
from metier.review.rules.rule import Rule
from metier.review.rules.supply_chain import installs as supply
from metier.skills.rules import RULES as STANDARD

FAMILIES: dict[str, tuple[Rule, ...]] = {
    "hidden text": hidden.RULES,
    "orders": orders.RULES,
    "takeover": takeover.RULES,
    "plain words": plain.RULES,
    "obedience": obedience.RULES,
    "deceit": deceit.RULES,
    "taking": taking.RULES,
    "whose side": intents.RULES,
    "errands": errands.RULES,
    "probes": probes.RULES,
    "digging in": rooting.RULES,
    "other languages": languages.RULES,
    "running": running.RULES,
    "theft": theft.RULES,
    "leaks": leaks.RULES,
    "stray hosts": (*strays.RULES, *strangers.RULES),
    "flows of values": flows.RULES,
    "lasting changes": lasting.RULES,
    "guards taken away": unbound.RULES,
    "setting up": setups.RULES,
    "flaws": flaws.RULES,
    "supply": supply.RULES,
    "damage": damage.RULES,
}
"""The content rules by family."""
CONTENT: tuple[Rule, ...] = tuple(rule for rules in FAMILIES.values() for rule in rules)
TAGS: dict[str, str] = {
    "AST01": "Malicious skills",
    "AST02": "Supply chain compromise",
    "AST03": "Over-privileged skills",
    "AST04": "Insecure metadata",
    "AST05": "Untrusted external instructions",
    "AST06": "Weak isolation",
    "AST07": "Update drift",
    "AST08": "Poor scanning",
    "AST09": "No governance",
    "AST10": "Cross-platform reuse",
}
"""The OWASP Agentic Skills Top 10."""


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by its id: content, the other layers, and the standard for SKILL.md."""
    standard = (
        Rule(id=id_, tag="AST04", severity="medium", reason=rule.why, fix=rule.fix) for id_, rule in STANDARD.items()
    )
    return {rule.id: rule for rule in (*CONTENT, *layers.RULES, *standard)}


def explain(rule: str) -> Rule:
    """The rule of an id; a `secret-…` is the rule on secrets."""
    known = all_rules()
    if rule not in known and rule.startswith("secret-"):
        return known["secret"]
    if rule not in known:
        raise NotFoundError(f"There is no rule {rule!r}. `metier review --rules` lists them all.")
    return known[rule]
