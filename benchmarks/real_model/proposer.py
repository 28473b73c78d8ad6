"""An optimiser that is a program: failed requests become examples and rules, in the JSON a trainer asks for.

It sees what a model in its place would: the prompt, with the skill and the failed cases in it. It knows no case but
those, and makes the mistakes such models make: some of its rules hang on a word that happens to be there.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from metier.models.failures import Refused
from metier.models.model import Reply
from metier.types import Tokens

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Request, Texts, Vectors

CASE = re.compile(r"^task:\n(.+)\nexpected:\n(.+)\nFAIL[^\n]*\noutput:\n(.*)$", re.MULTILINE)
SKILL = re.compile(r"<skill (\w+)>\n(.*?)\n</skill \1>", re.DOTALL)
SHOWN = re.compile(r"^Text: (.+)\nLabel: (.+)$", re.MULTILINE)
EXAMPLES, RULES = 0.7, 0.9
"""Of proposals the first share are examples, those up to the second are rules, and the rest take examples out."""
SHORT = 4
"""Words of fewer letters make no rule."""
Edit = dict[str, str]


@dataclass(frozen=True, slots=True)
class Failed:
    """A request that got another label than it should have."""

    text: str
    label: str
    said: str


@dataclass(frozen=True, slots=True)
class Proposer:
    """Answers a trainer's questions; the same seed and question always get the same answer."""

    seed: int

    @property
    def identity(self) -> str:
        """The program, and its seed."""
        return f"intent proposer 1 seed={self.seed}"

    def complete(self, request: Request) -> Reply | Failure:
        """The answer in the shape that is asked for."""
        words = "\n".join([request.system, *(message.text for message in request.messages)])
        match request.stage:
            case "reflect":
                answer = {"edits": [self.edit(one, words) for one in failed(words)], "failure_patterns": []}
            case "merge":
                answer = {"edits": _merged(words)}
            case "rank":
                answer = {"selected_indices": _ranked(words)}
            case "one_shot":
                answer = {"new_skill": "\n\n".join([_skill(words), *(map(example, failed(words)))]) + "\n"}
            case _:
                return Refused(reason=f"the program has no answer to {request.stage!r}")
        text = json.dumps(answer)
        return Reply(text=text, model="program", tokens=Tokens(input=len(words.split()), output=len(text.split())))

    def embed(self, texts: Texts) -> Vectors | Failure:  # noqa: ARG002
        """It knows no vectors."""
        return Refused(reason="the program embeds nothing")

    def edit(self, one: Failed, words: str) -> Edit:
        """What is proposed for one failed request."""
        digest = sha256(f"{self.seed}\0{one}".encode()).digest()
        kind = digest[0] / 256
        misled = [found[0] for found in SHOWN.finditer(_skill(words)) if found[2] == one.said]
        if kind >= RULES and misled:
            return {"op": "delete", "target": f"{misled[digest[1] % len(misled)]}\n"}
        telling = [word for word in re.findall(r"[a-z']+", one.text.lower()) if len(word) >= SHORT]
        if EXAMPLES <= kind < RULES and telling:
            rule = f'A text with "{telling[digest[1] % len(telling)]}" in it has the label {one.label}.'
            return {"op": "append", "content": rule}
        return {"op": "append", "content": example(one)}


def failed(words: str) -> list[Failed]:
    """The failed cases that a prompt shows."""
    return [Failed(*(part.strip() for part in found.groups())) for found in CASE.finditer(words)]


def example(one: Failed) -> str:
    """A request with its label, in the form the model is asked in."""
    return f"Text: {one.text}\nLabel: {one.label}"


def _skill(words: str) -> str:
    found = SKILL.search(words)
    return found[2].rstrip() if found else ""


def _merged(words: str) -> list[Edit]:
    """The proposals of all patches, each once, as the prompt lists them."""
    start = words.index("<patches ")
    patches = cast("list[dict[str, Any]]", json.JSONDecoder().raw_decode(words, words.index("[", start))[0])
    found = {json.dumps(_fields(one), sort_keys=True): _fields(one) for patch in patches for one in patch["proposals"]}
    return list(found.values())


def _fields(proposal: dict[str, Any]) -> Edit:
    return {name: str(proposal[name]) for name in ("op", "target", "content") if proposal.get(name)}


def _ranked(words: str) -> list[int]:
    """Labels of which the skill has the fewest examples come first, and each label once before any comes again."""
    held = Counter(label for _, label in SHOWN.findall(_skill(words)))
    listed = re.findall(r"^\[(\d+)\] (\{.*\})$", words, re.MULTILINE)
    left = [(int(number), _label(str(json.loads(text).get("content", "")))) for number, text in listed]
    order: list[int] = []
    while left:
        best = min(left, key=lambda one: (held[one[1]], one[0]))
        left.remove(best)
        held[best[1]] += 1
        order.append(best[0])
    return order


def _label(content: str) -> str:
    """The label that a proposal is about; empty for one that takes something out."""
    return re.split(r"\nLabel: | the label ", content)[-1].rstrip(".") if content else ""
