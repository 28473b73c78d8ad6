"""A procedure put into words: the sections of a skill, its description, and the example beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.learning.drafting.document import LEARNED
from metier.learning.drafting.phrases import Phrases, code_names, join_items, late_lines, phrases_of, with_full_stop
from metier.learning.procedures.shell import head
from metier.learning.procedures.template import literal
from metier.skills.document.yaml_quoting import quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.learning.procedures.procedure import Procedure
    from metier.learning.procedures.steps import Step
    from metier.learning.procedures.template import Template

EXAMPLE = "references/example.md"
DESCRIPTION = 1_024
RESULT = 360
TOOLS = 5
PASSING = 3
_PLACEHOLDER = re.compile(r"<([^<>\s-]*)[^<>\s]*>")


class Writer:
    """Writes the parts of a skill about one kind of work."""

    def __init__(self, known: Procedure) -> None:
        self._known = known
        self._say: Phrases = phrases_of(known.language)

    def document(self, name: str, title: str) -> str:
        """The whole SKILL.md."""
        front = f"---\nname: {name}\ndescription: {quote(self.description(title))}\n{LEARNED}---\n"
        intro = [with_full_stop(self._known.requests[0])] if self._known.requests else []
        return "\n\n".join([f"{front}\n# {title}", *intro, *self.sections()]) + "\n"

    def files(self) -> Mapping[str, str]:
        """What lies beside SKILL.md: the example and the scripts."""
        found = {f"scripts/{one.name}": one.text for one in self._known.scripts}
        if self._known.example:
            fence = "~~~" if any("```" in line.text for line in self._known.example) else "```"
            parts = [f"# {self._say.example_title}", ""]
            code = False
            for line in self._known.example:
                if code != (line.kind == "code"):
                    code = not code
                    parts.append(fence)
                parts.append(line.text if code else f"- {line.text}")
            found[EXAMPLE] = "\n".join([*parts, *([fence] if code else [])]) + "\n"
        return found

    def sections(self) -> list[str]:
        """Every section that has something to say, heading included."""
        known, titles = self._known, self._say.headings
        parts = (
            (titles.when, self.when()),
            (titles.asked, _items(known.asked)),
            (titles.procedure, self.procedure(known.steps) or self._followed()),
            (titles.notes, _items((*known.reasons, *known.notes))),
            (titles.code, _block(known.code)),
            (titles.pitfalls, self.pitfalls()),
            (titles.result, self.result()),
            (titles.example, self.example()),
        )
        return [f"## {title}\n\n{text}" for title, text in parts if text]

    def description(self, title: str) -> str:
        """What the skill does and when to use it, in the words of those who asked, within the standard's limit."""
        requests = self._known.requests
        common = [step for step in self._known.steps if step.is_common]
        heads = list(dict.fromkeys(head(literal(step.template)) for step in common if step.kind == "command"))[:TOOLS]
        files = list(dict.fromkeys(self._fill(step.template) for step in common if step.kind == "edit"))[:3]
        parts = [with_full_stop(requests[0] if requests else title)]
        if heads:
            parts.append(self._say.uses.format(join_items(heads, self._say.and_)))
        if files:
            named = [_PLACEHOLDER.sub(lambda found: found[1].upper(), one) for one in files]
            parts.append(self._say.changes.format(join_items(named, self._say.and_)))
        if requests[1:]:
            shown = [self._quoted(one) for one in requests[1:4]]
            parts.append(self._say.asked_like.format(join_items(shown, self._say.or_)))
        if self._known.subject:
            parts.append(self._say.about.format(", ".join(self._known.subject)))
        return _within(parts, DESCRIPTION)

    def when(self) -> str:
        """Typical requests."""
        return "\n".join(f"- {self._quoted(one)}" for one in self._known.requests[1:] or self._known.requests)

    def procedure(self, steps: Sequence[Step]) -> str:
        """The steps, numbered, and which of their values the request gives."""
        lines = [f"{number}. {self._sentence(step)}" for number, step in enumerate(steps, 1)]
        used = {name for step in steps for name in self._known.names.names_in(step.template)}
        given = [f"`<{name}>`" for name in sorted(used & self._known.names.asked)]
        if given:
            lines += ["", self._say.values.format(join_items(given, self._say.and_))]
        return "\n".join(lines)

    def pitfalls(self) -> str:
        """What fails now and then and what helps, what only runs that went wrong did, and skills that came in late."""
        known, say = self._known, self._say.steps
        lines = [f"- {say.helps.format(self._code(one.failed), self._code(one.helped))}" for one in known.remedies]
        lines += [f"- {say.avoid.format(self._code(one))}" for one in known.avoided]
        return "\n".join(lines + late_lines(self._say, known.late, known.trigger))

    def result(self) -> str:
        """How one can tell that the work is done."""
        steps = self._known.steps
        checks = dict.fromkeys(self._code(step.template) for step in steps if step.check and step.acts)
        if checks:
            return _within([self._say.passes.format(one) for one in list(checks)[-PASSING:]], RESULT)
        last = steps[-1] if steps and steps[-1].kind == "command" else None
        return self._say.ends_well.format(self._code(last.template))[:RESULT] if last else ""

    def example(self) -> str:
        """Where the example and the scripts are."""
        names = [f"scripts/{one.name}" for one in self._known.scripts]
        lines = [self._say.example] if self._known.example else []
        return "\n".join([*lines, *([self._say.scripts.format(code_names(names))] if names else [])])

    def _followed(self) -> str:
        """The skills that the runs used, as what to do."""
        path, say = self._known.path, self._say.of_skills
        return (say.in_order if len(path) > 1 else say.begin_with).format(code_names(path)) if path else ""

    def _sentence(self, step: Step) -> str:
        say = self._say.steps
        words = {"edit": say.edit, "read": say.read, "command": say.fails_first if step.fails else say.run}
        text = words.get(step.kind, say.tool).format(self._code(step.template))
        extras = [say.repeated] if step.repeated else []
        if step.when:
            extras.append(say.when.format(step.when))
        elif not step.is_common:
            extras.append(say.some.format(step.runs, step.of))
        return " ".join([text.rstrip("."), *extras]) + "." if extras else text

    def _fill(self, template: Template) -> str:
        return self._known.names.fill(template)

    def _code(self, template: Template) -> str:
        text = self._fill(template)
        return f"`` {text} ``" if "`" in text else f"`{text}`"

    def _quoted(self, text: str) -> str:
        left, right = self._say.quotes
        return f"{left}{text}{right}"


def _items(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _block(lines: Sequence[str]) -> str:
    """Lines of code in a block; empty: there are none."""
    fence = "~~~" if any("```" in line for line in lines) else "```"
    return "\n".join([fence, *lines, fence]) if lines else ""


def _within(parts: Sequence[str], limit: int) -> str:
    """As many of the parts as fit; the first one is cut if it has to be."""
    text = ""
    for part in parts:
        joined = f"{text} {part}".strip()
        if len(joined) > limit:
            break
        text = joined
    return text or (f"{parts[0][: limit - 1]}…" if parts else "")
