"""Proof, cases: all that were made from runs, and those that wait for a person's yes, card by card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.errors import ConflictError
from metier.learning.trace import records
from metier.proof.replay.cases import STATUSES, decide_case, find_case, list_cases
from metier.proof.replay.wording import scorer_words
from metier.web.answers import Done, Page, action_route, page_route

if TYPE_CHECKING:
    from metier.store.tables.training.cases import CaseStatus
    from metier.types.trials import Case
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard

SHOWN = 50
"""Cases on a page."""
STATES = {"proposed": "waits for you", "accepted": "may be tried", "rejected": "rejected"}
"""What can be said of a case, in words."""
LONGEST = 4_000
"""Characters of a file that are shown."""


def cases(board: Dashboard, ask: Ask) -> Page:
    """The list."""
    every: list[tuple[Case, CaseStatus]] = [
        (case, status) for status in STATUSES for case in list_cases(board.context, status)
    ]
    found = [one for one in every if _fits(one, ask)]
    first = ask.number("from")
    values: dict[str, object] = {
        "rows": [(case, status, scorer_words(case)) for case, status in found[first : first + SHOWN]],
        "total": len(found),
        "every": len(every),
        "waiting": sum(status == "proposed" for _, status in every),
        "first": first,
        "more": first + SHOWN if first + SHOWN < len(found) else 0,
        "less": max(0, first - SHOWN),
        "words": STATES,
    }
    return Page(template="cases.html", title="Cases", values=values)


def case(board: Dashboard, ask: Ask) -> Page:
    """One case as a card: what was asked, the files it begins with, and how an attempt is scored."""
    found, status = find_case(board.context, ask.values["case"])
    waiting = [one.id for one in list_cases(board.context, "proposed")]
    place = waiting.index(found.id) if found.id in waiting else -1
    after = waiting[place + 1] if 0 <= place < len(waiting) - 1 else next((one for one in waiting if place < 0), "")
    run = found.origin.removeprefix("run:")
    values: dict[str, object] = {
        "case": found,
        "status": status,
        "words": STATES,
        "scored": scorer_words(found),
        "run": records(board.context, [run]).get(run),
        "files": [(path, text[:LONGEST], max(0, len(text) - LONGEST)) for path, text in found.files],
        "place": place + 1,
        "waiting": len(waiting),
        "after": after,
    }
    return Page(template="case.html", title=f"Case {found.id}", values=values)


def accept(board: Dashboard, ask: Ask) -> Done:
    """Accept a case: from now on it may be tried, and that may cost money."""
    return _decide(board, ask, "accepted")


def reject(board: Dashboard, ask: Ask) -> Done:
    """Reject a case: it is never tried, and not proposed again."""
    return _decide(board, ask, "rejected")


def reopen(board: Dashboard, ask: Ask) -> Done:
    """Take a decision on a case back: it waits for a yes again."""
    return _decide(board, ask, "proposed")


def _decide(board: Dashboard, ask: Ask, status: CaseStatus) -> Done:
    found, before = find_case(board.context, ask.values["case"])
    if ask.sent("status") != before:
        raise ConflictError(f"Somebody decided on case {found.id} meanwhile. Look at it again.")
    decide_case(board.context, found.id, status, ask.sent("reason"))

    def undo() -> str:
        decide_case(board.context, found.id, before)
        return f"Case {found.id}: {STATES[before]}."

    said = {"accepted": "Accepted case", "rejected": "Rejected case", "proposed": "Waits for you again: case"}[status]
    back = "reject" if "accepted" in (status, before) and before != "accepted" else "accept"
    return Done(said=f"{said} {found.id}.", undo=undo, command=f"metier cases {back} {found.id}")


def _fits(one: tuple[Case, CaseStatus], ask: Ask) -> bool:
    case, status = one
    text = f"{case.id} {case.input}".casefold()
    return ask.text("state") in ("", status) and all(word in text for word in ask.text("q").casefold().split())


ROUTES = (
    page_route("/proof/cases", cases),
    page_route("/proof/cases/{case}", case),
    action_route("/proof/cases/{case}/accept", accept),
    action_route("/proof/cases/{case}/reject", reject),
    action_route("/proof/cases/{case}/reopen", reopen),
)
