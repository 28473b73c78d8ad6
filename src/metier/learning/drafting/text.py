"""Knowledge put into words: the sections of a skill, and its description."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.learning.drafting.document import LEARNED
from metier.learning.drafting.late_skills import late_lines
from metier.learning.drafting.phrases import Phrases, code_names, join_items, phrases_of, with_full_stop
from metier.learning.procedures.shell import head
from metier.learning.procedures.template import literal
from metier.skills.document.yaml_quoting import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.learning.procedures.knowledge import Knowledge
    from metier.learning.procedures.steps import Step
    from metier.learning.procedures.template import Template
    from metier.learning.procedures.troubles import Trouble

_PLACEHOLDER = re.compile(r"<([^<>\s-]*)[^<>\s]*>")
DESCRIPTION = 1_024
RESULT = 360
TOOLS = 5


class Writer:
    """Writes the parts of a skill about one kind of work."""

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._say: Phrases = phrases_of(known.language)

    def document(self, name: str, title: str) -> str:
        """The whole SKILL.md."""
        front = f"---\nname: {name}\ndescription: {quote(self.description(title))}\n{LEARNED}---\n"
        intro = [with_full_stop(self._known.requests[0])] if self._known.requests else []
        return "\n\n".join([f"{front}\n# {title}", *intro, *self.sections()]) + "\n"

    def sections(self) -> list[str]:
        """Every section that has something to say, heading included."""
        parts = (
            (self._say.headings.when, self.when()),
            (self._say.headings.procedure, self.procedure(self._known.procedure) or self.wanted()),
            (self._say.headings.checks, self.checks(self._known.checks)),
            (self._say.headings.pitfalls, self.pitfalls()),
            (self._say.headings.result, self.result()),
        )
        return [f"## {title}\n\n{text}" for title, text in parts if text]

    def description(self, title: str) -> str:
        """What the skill does and when to use it, in the words of those who asked, within the standard's limit."""
        requests = self._known.requests
        heads = list(dict.fromkeys(_short(step) for step in self._all() if step.kind == "command"))[:TOOLS]
        files = list(dict.fromkeys(self._fill(step.template) for step in self._all() if step.kind == "edit"))[:3]
        parts = [with_full_stop(requests[0] if requests else title)]
        if heads:
            parts.append(self._say.uses.format(join_items(heads, self._say.and_)))
        if files:
            parts.append(self._say.changes.format(join_items([_bare(one) for one in files], self._say.and_)))
        if requests[1:]:
            shown = [self._quoted(one) for one in requests[1:4]]
            parts.append(self._say.asked_like.format(join_items(shown, self._say.or_)))
        if self._known.subject:
            parts.append(self._say.about.format(", ".join(self._known.subject)))
        return _within(parts, DESCRIPTION)

    def when(self) -> str:
        """Typical requests."""
        if not self._known.requests:
            return ""
        lines = [f"- {self._quoted(one)}" for one in self._known.requests[1:] or self._known.requests]
        return "\n".join([self._say.asked, "", *lines])

    def procedure(self, steps: Sequence[Step]) -> str:
        """The steps, numbered, and which of their values the request gives."""
        if not steps:
            return ""
        lines = [f"{number}. {self._sentence(step)}" for number, step in enumerate(steps, 1)]
        used = {name for step in steps for name in self._known.names.names_in(step.template)}
        given = [f"`<{name}>`" for name in sorted(used & self._known.names.asked)]
        files = list(dict.fromkeys(self._code(step.template) for step in steps if step.kind == "edit"))
        if given:
            lines += ["", self._say.values.format(join_items(given, self._say.and_))]
        if len(files) > 1:
            lines += ["", self._say.files.format(join_items(files, self._say.and_))]
        return "\n".join(lines)

    def wanted(self) -> str:
        """What people wanted, where no tool was used: their corrections are the procedure."""
        told = self._known.corrections
        lines = [self._followed()] if self._known.path else [self._say.directly] if not self._known.tools else []
        if told:
            lines += [*([""] if lines else []), self._say.such_as, "", *(f"- {one}" for one in told)]
        return "\n".join(lines)

    def _followed(self) -> str:
        """The skills that the runs used, as what to do."""
        path = self._known.path
        return (self._say.of_skills.in_order if len(path) > 1 else self._say.of_skills.begin_with).format(
            code_names(path)
        )

    def checks(self, steps: Sequence[Step]) -> str:
        """What to run at the end."""
        if not steps:
            return ""
        return "\n".join([self._say.before_report, "", *(f"- {self._sentence(step)}" for step in steps)])

    def pitfalls(self, troubles: Sequence[Trouble] | None = None, corrections: Iterable[str] | None = None) -> str:
        """What goes wrong now and then and what helps, and what people had to put right."""
        known = self._known
        chosen = known.troubles if troubles is None else troubles
        told = known.corrections if corrections is None else corrections
        lines = [f"- {self._trouble(one)}" for one in chosen]
        lines += [f"- {self._say.troubles.avoid.format(self._code(one))}" for one in known.avoided]
        lines += [f"- {one}" for one in told if known.procedure]
        lines += late_lines(self._say, known.late, known.trigger)
        return "\n".join(lines)

    def result(self) -> str:
        """How one can tell that the work is done."""
        known = self._known
        said = [f"{known.answer}."] if known.answer else []
        if facts := self._facts():
            said.append(f"{join_items(facts, self._say.and_)}.")
        elif known.procedure:
            said.append(self._say.ends_well.format(self._code(known.procedure[-1].template)))
        elif not known.tools and not known.path:
            said.append(self._say.answered)
        return _within(said, RESULT)

    def _facts(self) -> list[str]:
        """What was changed and what passes, as far as most runs have it in common."""
        known = self._known
        checked = [step for step in known.checks if step.need == "common"] or [
            step for step in known.procedure[-1:] if step.check
        ]
        edited = [step for step in known.procedure if step.kind == "edit" and step.need == "common"]
        files = list(dict.fromkeys(self._code(step.template) for step in edited))[:2]
        passing = list(dict.fromkeys(self._code(step.template) for step in checked))[:3]
        facts = [self._several(self._say.changed, files)] if files else []
        return facts + ([self._several(self._say.passes, passing)] if passing else [])

    def _sentence(self, step: Step) -> str:
        code = self._code(step.template)
        if step.kind == "command":
            verb = self._say.steps.verbs.get(head(literal(step.template))) or self._say.steps.verbs.get(
                _short(step).split()[0]
            )
            text = f"{verb}: {code}." if verb else self._say.steps.run.format(code)
            text = self._say.steps.fails_first.format(code) if step.fails else text
        else:
            words = {
                "edit": self._say.steps.edit,
                "read": self._say.steps.read,
            }
            text = words.get(step.kind, self._say.steps.tool).format(code)
        extras = [self._say.steps.repeated] if step.repeated else []
        extras += [self._say.steps.optional] if step.need == "optional" else []
        return " ".join([text.rstrip("."), *extras]) + "." if extras else text

    def _several(self, forms: tuple[str, str], items: Sequence[str]) -> str:
        return forms[len(items) > 1].format(join_items(items, self._say.and_))

    def _trouble(self, trouble: Trouble) -> str:
        failed = self._code(trouble.failed)
        if trouble.instead:
            return self._say.troubles.fails.format(
                failed, self._say.troubles.instead.format(self._code(trouble.instead))
            )
        helped = [
            (self._say.troubles.edit if one.kind == "edit" else self._say.troubles.run).format(self._code(one.template))
            for one in trouble.remedies
        ]
        return self._say.troubles.fails.format(
            failed, self._say.troubles.again.format(join_items(helped, self._say.and_))
        )

    def _all(self) -> tuple[Step, ...]:
        known = self._known
        return tuple(step for step in (*known.procedure, *known.checks) if step.need == "common")

    def _fill(self, template: Template) -> str:
        return self._known.names.fill(template)

    def _code(self, template: Template) -> str:
        text = self._fill(template)
        return f"`` {text} ``" if "`" in text else f"`{text}`"

    def _quoted(self, text: str) -> str:
        left, right = self._say.quotes
        return f"{left}{text}{right}"


def _short(step: Step) -> str:
    """The program and subcommand of a step."""
    return head(literal(step.template))


def _bare(text: str) -> str:
    """A path for a description, which has no placeholders in brackets."""
    return _PLACEHOLDER.sub(lambda found: found[1].upper(), text)


def _within(parts: Sequence[str], limit: int) -> str:
    """As many of the parts as fit; the first one is cut if it has to be."""
    text = ""
    for part in parts:
        joined = f"{text} {part}".strip()
        if len(joined) > limit:
            break
        text = joined
    return text or (f"{parts[0][: limit - 1]}…" if parts else "")
