"""The chosen skills as text for an agent: reference material, in the form the agent takes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never, get_args

from metier.formats.handed_text import ABOUT
from metier.selection.assembly.assemble import FILES, Activation, Assembled, assemble
from metier.selection.assembly.token_budget import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.selection.types import ChosenSkill

Form = Literal["markdown", "claude-code", "skill-content", "mcp", "plain"]
FORMS: tuple[Form, ...] = get_args(Form)
HOOK_TOKENS = 2_000
"""Most that a hook adds to a prompt."""
HOOK_CHARACTERS = 10_000
"""What Claude Code takes whole; of more it shows only a preview."""
TRIES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedText:
    """The text an agent gets, and what is in it."""

    text: str
    assembled: Assembled


def render(skills: Sequence[Activation], form: Form) -> str:
    """The skills in one form; no skills are no text."""
    if not skills:
        return ""
    match form:
        case "markdown":
            return "\n\n".join(("## Skills for this task", ABOUT, *map(_markdown, skills))) + "\n"
        case "claude-code":
            return hook_output(_blocks(skills))
        case "skill-content" | "mcp":
            return _blocks(skills) + "\n"
        case "plain":
            return "\n\n".join((ABOUT, *map(_plain, skills))) + "\n"
        case _:
            assert_never(form)


def hook_output(text: str, event: str = "UserPromptSubmit") -> str:
    """What a Claude Code hook prints to add a text to the context, as one line of JSON."""
    said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return json.dumps(said, ensure_ascii=False)


def hand_over(chosen: Sequence[ChosenSkill], form: Form, budget: int) -> HandedText:
    """The chosen skills as one text within a budget of tokens; for a hook within the hook's limits, too."""
    limit = min(budget, HOOK_TOKENS) if form == "claude-code" else budget
    room = limit - tokens(ABOUT)
    for _ in range(TRIES):
        found = assemble(chosen, room)
        excess = _excess(found, form, limit)
        if excess <= 0:
            return HandedText(text=render(found.skills, form), assembled=found)
        room -= max(excess, room // 8)
    return HandedText(text="", assembled=assemble(chosen, 0))


def _excess(found: Assembled, form: Form, limit: int) -> int:
    """Tokens by which the skills are over the limit as they will be read."""
    if form != "claude-code":
        return tokens(render(found.skills, form)) - limit
    text = _blocks(found.skills) if found.skills else ""
    return max(tokens(text) - limit, (len(text) - HOOK_CHARACTERS) // 4)


def _blocks(skills: Sequence[Activation]) -> str:
    return "\n\n".join((ABOUT, *map(_skill_content, skills)))


def _skill_content(skill: Activation) -> str:
    """One skill as the Agent Skills standard wraps it."""
    lines = [f'<skill_content name="{attribute(skill.name)}" version="{attribute(skill.version)}">']
    lines += [make_harmless(skill.content), ""]
    if skill.folder:
        lines += [
            f"Skill directory: {path_text(skill.folder)}",
            "Relative paths in this skill are relative to the skill directory.",
        ]
    if skill.files:
        shown = [f"  <file>{path_text(file)}</file>" for file in skill.files[:FILES]]
        lines += ["<skill_resources>", *shown, *_more(skill), "</skill_resources>"]
    return "\n".join((*_without_last_blank(lines), "</skill_content>"))


def _markdown(skill: Activation) -> str:
    content = make_harmless(skill.content)
    marks = fence(content)
    head = f"### {inline(skill.name)} (version {inline(skill.version)})"
    return "\n\n".join((head, f"{marks}markdown\n{content}\n{marks}", *_file_line(skill)))


def _plain(skill: Activation) -> str:
    name = inline(skill.name)
    lines = (
        f"--- begin skill {name} (version {inline(skill.version)}) ---",
        make_harmless(skill.content),
        *_file_line(skill),
    )
    return "\n".join((*lines, f"--- end skill {name} ---"))


def _file_line(skill: Activation) -> tuple[str, ...]:
    """The files to be read on demand, in one line."""
    if not skill.files:
        return ()
    names = ", ".join(inline(file) for file in skill.files[:FILES])
    where = f" in {inline(skill.folder)}" if skill.folder else ""
    return (make_harmless(f"Files{where}, to be read when needed: {names}{''.join(_more(skill))}"),)


def _more(skill: Activation) -> tuple[str, ...]:
    count = len(skill.files) - FILES
    return (f"  and {count:,} more",) if count > 0 else ()


def _without_last_blank(lines: list[str]) -> list[str]:
    return lines[:-1] if lines and not lines[-1] else lines


_FRAMES = re.compile(
    r"[<\uff1c\ufe64](?=\s{0,8}/?\s{0,8}(?:skill_content|skill_resources|skills?|available_skills|references?|system"
    r"|assistant|user|human|think|tool_results?|tool_use|function_results|function_calls|antml:\w|instructions?"
    r"|documents?|context)\b|\s{0,8}/?\s{0,8}\|)",
    re.IGNORECASE,
)
"""Tags that mean something to a model or to the program around it, ours among them."""
_TURNS = re.compile(r"^([ \t]{0,8})(Human|Assistant|System|User)(:)", re.MULTILINE)
_RULES = re.compile(r"^([ \t]{0,8})(-{3,} (?:begin|end) skill\b)", re.MULTILINE | re.IGNORECASE)
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Control and invisible characters, and halves of characters; a tab and a line break stay."""
_JOINED = re.compile("(?<=[\U0001f000-\U0001ffff\u2600-\u27bf\ufe0f])\u200d(?=[\U0001f000-\U0001ffff\u2600-\u27bf])")
_TICKS = re.compile(r"`+")
_NAME = 200
_PATH = 2_000


def make_harmless(text: str) -> str:
    """The text with delimiters escaped and characters that cannot be seen taken out."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ue000", "")
    clean = _CONTROL.sub("", _JOINED.sub("\ue000", lines)).replace("\ue000", "\u200d")
    return _RULES.sub(r"\1\\\2", _TURNS.sub(r"\1\2\\\3", _FRAMES.sub("&lt;", clean)))


def inline(text: str) -> str:
    """A name or a path in one line, of a bounded length."""
    return " ".join(_CONTROL.sub("", text[: 4 * _NAME]).split())[:_NAME]


def attribute(text: str) -> str:
    """A name or a path that can stand in a tag."""
    return inline(text).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def path_text(path: str) -> str:
    """A path in one line, as a program can open it."""
    return make_harmless(" ".join(_CONTROL.sub("", path[:_PATH]).splitlines()))


def fence(text: str) -> str:
    """A code fence that is longer than every run of backticks in the text."""
    return "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
