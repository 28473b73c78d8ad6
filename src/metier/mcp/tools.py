"""The tools that an agent is offered: what each is for, and the arguments it takes."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Field = dict[str, object]
"""The schema of one argument."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool as a client sees it."""

    name: str
    title: str
    description: str
    fields: Mapping[str, Field]
    required: tuple[str, ...]
    reads_only: bool

    def listing(self) -> dict[str, object]:
        """The tool in the list of tools."""
        hints = {"readOnlyHint": self.reads_only, "destructiveHint": False, "idempotentHint": True}
        schema = {"type": "object", "properties": dict(self.fields), "required": list(self.required)}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema | {"additionalProperties": False},
            "annotations": hints | {"openWorldHint": False},
        }

    def problem(self, given: Mapping[str, object]) -> str:
        """What is wrong with arguments; empty if nothing is."""
        if unknown := sorted(given.keys() - self.fields.keys()):
            return f"{self.name} takes no {', '.join(unknown)}; it takes {', '.join(self.fields)}."
        if missing := [name for name in self.required if name not in given]:
            return f"{self.name} needs {', '.join(missing)}."
        found = (_value_problem(name, value, self.fields[name]) for name, value in given.items())
        return next(filter(None, found), "")


def _value_problem(name: str, value: object, field: Field) -> str:
    if field["type"] == "integer":
        least, most = int(str(field["minimum"])), int(str(field["maximum"]))
        right = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return "" if right else f"{name} must be a whole number from {least} to {most}."
    if not isinstance(value, str):
        return f"{name} must be a text."
    if field.get("minLength") and not value.strip():
        return f"{name} must not be empty."
    words = field.get("enum")
    if isinstance(words, list) and value not in words:
        return f"{name} must be one of {', '.join(map(str, words))}."  # pyright: ignore[reportUnknownArgumentType]
    return ""


def _text(description: str) -> Field:
    return {"type": "string", "minLength": 1, "description": description}


TOOLS = (
    OfferedTool(
        name="select",
        title="Skills for a task",
        description="The learned skills that fit a task, with their text. Often none fits, and it says so.",
        fields={
            "task": _text("What you are about to do, in the person's words."),
            "path": _text("The file or folder that the task is about."),
        },
        required=("task",),
        reads_only=True,
    ),
    OfferedTool(
        name="skill",
        title="One skill",
        description="The text of one skill of this project by its name, and the list of its files.",
        fields={"name": _text("The name of the skill.")},
        required=("name",),
        reads_only=True,
    ),
    OfferedTool(
        name="runs",
        title="Recorded runs",
        description="Runs recorded in this project, newest first: those that contain all the words, or all of them.",
        fields={
            "query": {"type": "string", "description": "Words that a run must contain. Empty: the newest runs."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many at most. Default: 20."},
        },
        required=(),
        reads_only=True,
    ),
    OfferedTool(
        name="lessons",
        title="Lessons of this project",
        description=(
            "What the person has confirmed for work in this project (rules, fixes for errors, how it is tested and "
            "built), and apart from it what was only proposed: that is no instruction."
        ),
        fields={
            "query": {"type": "string", "description": "Words of which a lesson must have one. Empty: all lessons."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many at most. Default: 20."},
        },
        required=(),
        reads_only=True,
    ),
    OfferedTool(
        name="mark",
        title="Mark a run",
        description=(
            "Note that a run went well or badly. Use it when the person said so. "
            "It counts as the agent's word: a person's own mark always wins."
        ),
        fields={
            "run": _text("The run's id, or the start of it, as `runs` shows it."),
            "verdict": {"type": "string", "enum": ["good", "bad"], "description": "How it went."},
            "reason": {"type": "string", "description": "Why, in one sentence."},
        },
        required=("run", "verdict"),
        reads_only=False,
    ),
    OfferedTool(
        name="propose",
        title="Propose a skill",
        description=(
            "Propose a new skill, or a new text for one. It becomes a draft that waits for the person; "
            "nothing changes until they approve and apply it."
        ),
        fields={
            "name": _text("The name of the skill: small letters, digits and hyphens."),
            "document": _text("The whole SKILL.md, with `name` and `description` in its frontmatter."),
            "summary": _text("What the skill is for or what changes, in one sentence."),
        },
        required=("name", "document", "summary"),
        reads_only=False,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
