"""Requests whose intent a small model has to name: ten intents a task, no intent in two tasks of one family.

Which side a request stands on hangs on the hash of its text. The part called `test` is handed to no training.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, get_args

from metier.skills.package import Package
from metier.training.targets.chat import ChatTarget
from metier.training.targets.completion import CompletionTarget
from metier.types.trials import Case

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from metier.models.model import Model
    from metier.types.trials import Split

Family = Literal["mixed", "near", "banking77"]
FILES: dict[Family, str] = {
    "mixed": "clinc150_val.jsonl",
    "near": "clinc150_val.jsonl",
    "banking77": "banking77.jsonl",
}
"""What each is made from: lines of `{"text", "intent"}`."""
LABELS = 10
EACH = 40
"""The most requests of one intent that are used."""
SHARES: tuple[tuple[Split, float], ...] = (("train", 0.4), ("val", 0.2), ("test", 0.4))
MONEY = frozenset(
    [
        "freeze_account",
        "routing",
        "pin_change",
        "bill_due",
        "pay_bill",
        "account_blocked",
        "interest_rate",
        "min_payment",
        "bill_balance",
        "transfer",
        "order_checks",
        "balance",
        "spending_history",
        "transactions",
        "report_fraud",
        "replacement_card_duration",
        "expiration_date",
        "damaged_card",
        "improve_credit_score",
        "report_lost_card",
        "card_declined",
        "credit_limit_change",
        "apr",
        "redeem_rewards",
        "credit_limit",
        "rewards_balance",
        "application_status",
        "credit_score",
        "new_card",
        "international_fees",
    ]
)
"""The intents of CLINC150 about accounts and cards, which are near each other."""
ABOUT = "---\nname: intents\ndescription: Names the intent of a request.\n---\n"
TEMPLATE = "{skill}\n\nText: {input}\nLabel:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Ten labels, and requests for each."""

    name: str
    labels: tuple[str, ...]
    cases: tuple[Case, ...]
    """To learn from and to choose by."""
    test: tuple[Case, ...]

    def start(self) -> Package:
        """The skill that every training begins with: the list of labels."""
        return package(f"{ABOUT}\nThe label of a text is one of: {', '.join(self.labels)}.\n")

    def chat_target(self, model: Model) -> ChatTarget:
        """A chat model, which is only told that nothing but a label may come out."""
        system = f"Answer with exactly one of these labels and nothing else: {', '.join(self.labels)}"
        return ChatTarget(model=model, system=system, max_tokens=24)

    def target(self, model: Model) -> CompletionTarget:
        """The model as it is asked: skill first, and nothing but a label may come out."""
        words = " | ".join(json.dumps(f" {label}") for label in self.labels)
        return CompletionTarget(model=model, template=TEMPLATE, grammar=f"root ::= {words}", max_tokens=24)


def package(text: str) -> Package:
    """A skill of one document."""
    return Package(files={"SKILL.md": text.encode()})


def available(folder: Path) -> tuple[tuple[Family, ...], tuple[str, ...]]:
    """The families there is data for, and a sentence for each there is none for."""
    there: tuple[Family, ...] = tuple(family for family in get_args(Family) if (folder / FILES[family]).is_file())
    gone = tuple(
        f"{family}: left out, {folder / FILES[family]} is not there (lines of {{'text', 'intent'}})"
        for family in FILES
        if family not in there
    )
    return there, gone


def tasks_in(folder: Path, family: Family) -> int:
    """How many tasks a family has."""
    return len(_held(folder, family)) // LABELS


def task_of(folder: Path, family: Family, number: int) -> Task:
    """The task of a family with a number; another number has other intents."""
    held = _held(folder, family)
    chosen = sorted(held, key=_hash)[number * LABELS : (number + 1) * LABELS]
    made = [case for name in chosen for case in _cases(name, held[name])]
    made.sort(key=lambda case: _hash(case.id))
    return Task(
        name=f"{family} {number}",
        labels=tuple(sorted(map(label, chosen))),
        cases=tuple(case for case in made if case.split != "test"),
        test=tuple(case for case in made if case.split == "test"),
    )


def _held(folder: Path, family: Family) -> dict[str, list[str]]:
    """The requests of each intent of a family."""
    held: dict[str, list[str]] = defaultdict(list)
    for line in (folder / FILES[family]).read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if _belongs(one["intent"], family):
            held[one["intent"]].append(one["text"].strip())
    return held


def label(intent: str) -> str:
    """An intent in plain words."""
    return intent.replace("_", " ").strip("? ").lower()


def _belongs(name: str, family: Family) -> bool:
    return family == "banking77" or (name in MONEY) == (family == "near")


def _cases(intent: str, texts: Sequence[str]) -> list[Case]:
    """The requests of one intent, each on its side; as many on each as the shares say."""
    texts = sorted(dict.fromkeys(texts), key=_hash)[:EACH]
    sides: list[Split] = [side for side, share in SHARES for _ in range(round(share * len(texts)))]
    return [
        Case(id=f"{intent}-{_hash(text)[:12]}", input=text, expected=label(intent), split=side)
        for text, side in zip(texts, sides, strict=False)
    ]


def _hash(text: str) -> str:
    return sha256(f"real model {text}".encode()).hexdigest()
