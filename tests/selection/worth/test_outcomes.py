"""What skills are worth: counted per version from linked runs, told to whoever looks, acted on by a pass."""

from __future__ import annotations

import itertools
import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learn_world import Clock, learned, opened
from scoping import in_workspace

from metier.errors import BusyError
from metier.maintenance.doctor import check_workspace
from metier.maintenance.retention import remove_runs
from metier.runs.verdicts import mark_run
from metier.selection.worth import outcomes
from metier.selection.worth.link_runs import link_runs
from metier.selection.worth.utility import Counts
from metier.store.tables.selection import outcomes as kept
from metier.store.tables.selection import selections
from metier.types import Candidate, Outcome, Run, Selection, SkillTrace
from metier.types.selections import Assignment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.workspace import Workspace

DOCUMENT = "---\nname: deploy\ndescription: Ships the shop. Use when a release is ready.\n---\n\n# Deploy\n\n{}\n"
CURRENT = {"deploy": "h1"}
numbers = itertools.count()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql"))])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    """A workspace on each engine in turn."""
    store = request.getfixturevalue("new_postgres") if request.param == "postgresql" else ""
    with opened(tmp_path / "p", Clock(), store=store) as ws:
        yield ws


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with one skill."""
    folder = tmp_path / "shop"
    (folder / ".agents/skills/deploy").mkdir(parents=True)
    (folder / ".agents/skills/deploy/SKILL.md").write_text(DOCUMENT.format("Say it first."), encoding="utf-8")
    with opened(folder, Clock()) as ws:
        ws.trust_skills()
        ws.record_hand_edits()
        yield ws


def one(ws: Workspace, *, out: bool = False, content: str = "h1", text: str = "", **more: object) -> Selection:
    """A selection of deploy, or one that withheld it."""
    number = next(numbers)
    held = Candidate(skill="deploy", score=0.5, hash=content)
    made = Selection(
        id=f"s{number}",
        workspace=ws.name,
        query=text or f"task {number}",
        session=f"s{number}",
        created=ws.context.now(),
        chosen=() if out else ("deploy",),
        chosen_hashes=() if out else (content,),
        withheld=(held,) if out else (),
        trials=(Assignment(trial="t", skill="deploy", arm="without" if out else "with"),),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def served(made: Selection, *, success: bool | None = True, uses: tuple[str, ...] = ("deploy",)) -> Run:
    """The run that a selection served."""
    outcome = None if success is None else Outcome(success=success, by="test")
    return Run(
        message=made.query,
        session=made.session,
        external_id=made.id,
        status="completed",
        outcome=outcome,
        selection=made.id,
        skills=SkillTrace(path=uses),
    )


def keep(ws: Workspace, *pairs: tuple[Selection, Run | None]) -> list[str]:
    with ws.context.store.write() as transaction:
        for made, _ in pairs:
            selections.put(transaction, made)
    return [found.id for found in ws.deliver(run for _, run in pairs if run)]


def counted(ws: Workspace, current: dict[str, str] | None = None) -> dict[str, Counts]:
    """What was counted for each skill, new runs included."""
    outcomes.update_worths(ws.context)
    return {name: found.counts for name, found in outcomes.worths(ws.library, current).items()}


def hurting(ws: Workspace) -> list[str]:
    """The skills that hurt, new runs included."""
    outcomes.update_worths(ws.context)
    return list(outcomes.hurting(ws.library))


def trial(ws: Workspace, content: str, with_: tuple[int, int], without: tuple[int, int]) -> None:
    """Runs with deploy and runs that had it withheld: successes and failures of each."""
    pairs: list[tuple[Selection, Run | None]] = []
    for out, (good, bad) in ((False, with_), (True, without)):
        for success in (True,) * good + (False,) * bad:
            made = one(ws, out=out, content=content)
            pairs.append((made, served(made, success=success, uses=() if out else ("deploy",))))
    keep(ws, *pairs)


def test_what_runs_say_is_counted_by_skill_and_kept_apart(either: Workspace) -> None:
    ws = either
    made = [one(ws) for _ in range(5)]
    out = [one(ws, out=True) for _ in range(2)]
    keep(
        ws,
        (made[0], served(made[0])),
        (made[1], served(made[1], success=False)),
        (made[2], served(made[2], success=None)),
        (made[3], served(made[3], uses=())),
        (made[4], None),
        (out[0], served(out[0], uses=())),
        (out[1], served(out[1], success=False, uses=("other",))),
    )
    assert counted(ws, CURRENT)["deploy"] == Counts(
        selected=5,
        told=3,
        used=3,
        succeeded=1,
        failed=1,
        with_runs=3,
        with_successes=2,
        withheld_runs=2,
        withheld_successes=1,
        given_succeeded=2,
        given_failed=1,
    )


def test_a_skill_that_was_given_is_not_called_ignored_when_the_run_used_another(ws: Workspace) -> None:
    made = one(ws)
    run = served(made, uses=("other",))
    keep(ws, (made, replace(run, skills=replace(run.skills, given=("Deploy",)))))
    found = counted(ws, CURRENT)["deploy"]
    assert (found.selected, found.told, found.used, found.given_succeeded) == (1, 0, 0, 1)
    assert "given once: that run succeeded; whether a run used it is not known" in outcomes.line(
        "deploy", outcomes.worths(ws.library, CURRENT)["deploy"]
    )


def test_another_text_is_another_skill_to_measure_and_an_old_one_is_remembered(ws: Workspace) -> None:
    old, new = one(ws, content="h1"), one(ws, content="h2")
    keep(ws, (old, served(old)), (new, served(new, success=False)))
    assert counted(ws, {"deploy": "h2"})["deploy"].failed == 1
    assert counted(ws, {"deploy": "h1"})["deploy"].succeeded == 1
    assert counted(ws, {"deploy": "h3"}) == {}


def test_a_persons_word_counts_at_once_and_can_be_taken_back(either: Workspace) -> None:
    ws = either
    made = one(ws)
    run = keep(ws, (made, served(made, success=None)))[0]
    assert counted(ws, CURRENT)["deploy"] == Counts(selected=1, told=1, used=1)
    mark_run(ws.context, run, "bad")
    assert counted(ws, CURRENT)["deploy"].failed == 1
    mark_run(ws.context, run, "good")
    assert counted(ws, CURRENT)["deploy"].succeeded == 1
    mark_run(ws.context, run, "unset")
    assert counted(ws, CURRENT)["deploy"].succeeded == 0


def test_a_run_that_was_removed_says_nothing_any_more(either: Workspace) -> None:
    ws = either
    made = [one(ws), one(ws)]
    runs = keep(ws, *((each, served(each)) for each in made))
    assert counted(ws, CURRENT)["deploy"].succeeded == 2
    list(remove_runs(ws.context, runs[:1], "test"))
    assert counted(ws, CURRENT)["deploy"].succeeded == 1


def test_a_claimed_success_counts_when_a_pass_has_judged_it(ws: Workspace) -> None:
    made = one(ws)
    keep(ws, (made, replace(served(made, success=None), output="Shipped it, all 31 checks pass.")))
    assert counted(ws, CURRENT)["deploy"].succeeded == 0
    learned(ws)
    assert counted(ws, CURRENT)["deploy"].succeeded == 1


def test_a_run_that_grew_is_counted_as_it_is_after_the_next_pass(either: Workspace) -> None:
    ws = either
    made = one(ws)
    begun = Run(message=made.query, session=made.session, external_id=made.id, selection=made.id)
    keep(ws, (made, begun))
    assert counted(ws, CURRENT)["deploy"] == Counts(selected=1, told=0)
    ws.deliver([served(made, success=False)])
    learned(ws)
    assert counted(ws, CURRENT)["deploy"].failed == 1


def test_a_session_is_compared_once_however_often_the_skill_is_due_in_it(ws: Workspace) -> None:
    made = [one(ws, session="same") for _ in range(4)]
    keep(ws, *((each, served(each)) for each in made))
    found = counted(ws, CURRENT)["deploy"]
    assert (found.selected, found.succeeded, found.with_runs) == (4, 4, 1)


def test_runs_without_a_trial_are_not_compared(ws: Workspace) -> None:
    made = [one(ws, trials=()), one(ws, trials=(), pinned=("deploy",))]
    keep(ws, *((each, served(each)) for each in made))
    found = counted(ws, CURRENT)["deploy"]
    assert (found.succeeded, found.with_runs, found.withheld_runs) == (2, 0, 0)


def test_sums_are_made_once_for_the_same_rows(ws: Workspace) -> None:
    made = one(ws)
    keep(ws, (made, served(made)))
    assert counted(ws, CURRENT)["deploy"].selected == 1
    with ws.context.store.write() as transaction:
        transaction.all("UPDATE tallies SET selected = 7")
    assert counted(ws, CURRENT)["deploy"].selected == 7, "nothing is new"
    more = one(ws)
    keep(ws, (more, None))
    assert counted(ws, CURRENT)["deploy"].selected == 2


def test_where_nothing_was_selected_nothing_is_written(ws: Workspace) -> None:
    with ws.context.store.read() as transaction:
        before = transaction.all("SELECT name, value FROM meta ORDER BY name")
    outcomes.update_worths(ws.context)
    assert outcomes.adjustments(ws.library) == {}
    assert not link_runs(ws.context, again=True)
    with ws.context.store.read() as transaction:
        assert transaction.all("SELECT name, value FROM meta ORDER BY name") == before


def test_a_store_that_is_busy_gives_what_was_known_before(tmp_path: Path) -> None:
    with opened(tmp_path / "p", Clock(), lock_wait=0) as ws:
        made = one(ws)
        keep(ws, (made, served(made)))
        assert counted(ws, CURRENT)["deploy"].selected == 1
        more = one(ws)
        keep(ws, (more, None))
        with opened(tmp_path / "p", Clock(), lock_wait=0) as other, other.context.store.write():
            with pytest.raises(BusyError):
                link_runs(ws.context)
            assert counted(ws, CURRENT)["deploy"].selected == 1
        assert counted(ws, CURRENT)["deploy"].selected == 2


def test_tallies_of_some_skills_are_read_by_name(ws: Workspace) -> None:
    made = one(ws)
    keep(ws, (made, served(made)))
    counted(ws, CURRENT)
    with ws.context.store.read() as transaction:
        assert list(kept.tallies(transaction, ["deploy", "x"])) == [("deploy", "h1")]
        assert not kept.tallies(transaction, ["x"])
        assert not kept.tallies(in_workspace(transaction, "elsewhere"))


# ---- what comes of it -------------------------------------------------------------------------------------------


def current(ws: Workspace) -> str:
    return next(each.hash for each in ws.record_hand_edits() if each.name == "deploy")


def provisional(ws: Workspace) -> None:
    """Make the skill one that is still to be proven."""
    from metier.library.changes import change_status

    found = ws.library.find("deploy")
    last = found.last()
    assert last
    change_status(ws.context, found, last, "cool", status="provisional")
    assert ws.skills()[0].status == "provisional"


def test_a_skill_that_hurts_is_named_by_the_pass_and_the_doctor_and_not_chosen(shop: Workspace) -> None:
    trial(shop, current(shop), with_=(15, 45), without=(45, 15))
    found = learned(shop)
    assert any(
        text.startswith("deploy makes runs worse: lift -0.") and "metier skills archive deploy" in text
        for text in found.notes
    )
    assert hurting(shop) == ["deploy"]
    assert outcomes.adjustments(shop.library)["deploy"].factor == 0.0
    checks = [check for check in check_workspace(shop.root, {}, os.environ) if check.text.startswith("deploy makes")]
    assert [(check.state, "metier skills rollback deploy" in check.fix) for check in checks] == [("warning", True)]
    assert shop.skills()[0].status == "active", "nothing is taken away"


def test_another_version_of_a_skill_that_hurts_begins_anew(shop: Workspace) -> None:
    trial(shop, current(shop), with_=(15, 45), without=(45, 15))
    assert hurting(shop)
    (shop.root / ".agents/skills/deploy/SKILL.md").write_text(DOCUMENT.format("Say it twice."), encoding="utf-8")
    assert current(shop)
    assert not hurting(shop)
    shop.rollback("deploy")
    assert hurting(shop)


def test_a_provisional_skill_that_merely_did_well_stays_provisional(shop: Workspace) -> None:
    provisional(shop)
    trial(shop, current(shop), with_=(9, 0), without=(1, 2))
    learned(shop)
    assert shop.skills()[0].status == "provisional"


def test_a_dry_run_links_nothing(shop: Workspace) -> None:
    made = one(shop, content=current(shop))
    keep(shop, (made, served(made)))
    learned(shop, dry_run=True)
    with shop.context.store.read() as transaction:
        assert transaction.all("SELECT count(*) FROM requests")[0][0] == 0


def test_from_a_selection_in_a_block_to_what_the_skill_is_worth(shop: Workspace) -> None:
    """The way an agent goes: select, work, say how it went."""
    with shop.record("a release of the shop is ready: deploy it") as run:
        chosen = shop.select("deploy: ship the shop, a release is ready", model=False)
        run.skills("deploy")
        run.outcome(True, by="test")
    assert run.run.selection == chosen.id
    names = [each.skill.name for each in chosen.choice.chosen]
    assert names == ["deploy"]
    found = counted(shop)["deploy"]
    assert (found.selected, found.used, found.succeeded, found.with_runs) == (1, 1, 1, 0)
    with shop.context.store.read() as transaction:
        assert run.delivery
        assert selections.list_all(transaction)[0].run == run.delivery.id


@pytest.mark.slow
def test_a_hundred_thousand_selections_are_summed_up_in_a_blink(ws: Workspace) -> None:
    """All are of one skill: the worst there can be."""
    made = one(ws)
    keep(ws, (made, served(made)))
    counted(ws, CURRENT)
    with ws.context.store.write() as transaction:
        parts = [
            kept.SelectionOutcome(selection=f"p{n}", skill="deploy", hash="h1", handed=True) for n in range(100_000)
        ]
        kept.put(transaction, parts)
        kept.serve(transaction, {part.selection: kept.RunOutcome(f"r{part.selection}", stated=True) for part in parts})
        kept.tally(transaction)
    more = one(ws)
    keep(ws, (more, served(more)))
    began = time.process_time()
    assert counted(ws, CURRENT)["deploy"].selected == 100_002
    assert time.process_time() - began < 0.3
    began = time.process_time()
    assert outcomes.worths(ws.library, CURRENT)
    assert time.process_time() - began < 0.02
