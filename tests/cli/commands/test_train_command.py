"""`metier train` and `metier eval SKILL`: what a person reads, what a program reads, clear errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from train_world import GUESS, TEXT, Optimiser, place, solve, write_cases
from waiting import line_of

from metier.cli.views.train import page
from metier.models.model import Message, Reply, Request
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cli_shell import Shell

WORLD = Path(__file__).parents[2] / "support"
SMALL = ("--spec", "preset=classic", "--spec", "epochs=1", "--spec", "batch=12")


@pytest.fixture
def server() -> Iterator[str]:
    """The world's optimiser as a server; what it is called by."""
    model = Optimiser()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Nothing."""

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            text = asked["messages"][-1]["content"]
            stage = next((one for one in ("slow", "meta", "one_shot") if STAGES[one] in text), "reflect")
            reply = model.complete(Request(messages=(Message(text=text),), stage=stage))
            assert isinstance(reply, Reply)
            usage = {"prompt_tokens": 50, "completion_tokens": 10}
            choice = {"index": 0, "message": {"role": "assistant", "content": reply.text}, "finish_reason": "stop"}
            body = json.dumps({"model": "world", "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
    yield f"openai:world@http://127.0.0.1:{listening.server_address[1]}/v1"
    listening.shutdown()
    listening.server_close()


STAGES = {"slow": "slow_update_content", "meta": "meta_skill_content", "one_shot": "new_skill"}


@pytest.fixture
def shop(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A workspace with the skill, its cases, and the world's agent to be found as a module."""
    place(shell.folder)
    write_cases(shell.folder / "cases.jsonl")
    write_cases(shell.folder / "few.jsonl", 32)
    monkeypatch.chdir(shell.folder)
    return shell


def words(server: str, *more: str) -> tuple[str, ...]:
    """A training of the skill in this world."""
    given = ("--cases", "cases.jsonl", "--target", "python=train_world:solve", "--optimiser", server)
    return "train", "adder", *given, *SMALL, *more


def test_the_document_has_the_promised_keys_and_the_skill_ships_and_is_taken_back(shop: Shell, server: str) -> None:
    said = shop.json(*words(server, "--apply"))
    assert list(said)[:2] == ["run", "decision"]
    for key in ("run", "decision", "skill_hash", "scores", "rollouts", "calls", "tokens", "cost_usd", "report"):
        assert key in said
    assert list(said["scores"]) == ["initial", "best", "confirm", "test"]
    assert (said["decision"], said["version"], said["scores"]["best"]) == ("accept", 2, 1.0)
    assert said["reason"].startswith("+83.3 points on 18 fresh cases")
    assert Path(said["report"]).read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "Undo" in shop.ok("skills", "rollback", "adder")
    assert (shop.folder / ".agents/skills/adder/SKILL.md").read_text(encoding="utf-8") == TEXT


def test_a_person_reads_the_decision_first_and_all_of_it_fits_into_eighty_columns(shop: Shell, server: str) -> None:
    done = shop.run(*words(server))
    assert done.code == 0
    assert done.out.startswith("adder: Confirmed: +83.3 points on 18 fresh cases")
    assert "adder: at most" in done.err
    assert "Saved as draft" in done.err
    assert "Ship: metier drafts apply" in done.err
    for text in (
        "cannot be told from luck",
        "one-shot rewrite  0.",
        "1     accept new best",
        "Paid in total, ",
    ):
        assert text in done.out
    narrow = "\n".join(str(part) for part in page(shop.json("train", "show"), width=80))
    assert max(len(line) for line in narrow.splitlines()) <= 80
    assert narrow.split() == shop.run("train", "show").out.split() == done.out.split()


def test_events_are_streamed_a_line_each_and_the_document_stays_alone(shop: Shell, server: str) -> None:
    done = shop.run(*words(server, "--json", "--events", "--cases", "few.jsonl"))
    events = [json.loads(line) for line in done.err.splitlines()]
    kinds = [one["kind"] for one in events]
    assert (kinds[0], kinds[-1]) == ("began", "confirmed")
    assert json.loads(done.out)["status"] == "finished"


def test_explain_tells_the_search_in_plain_words_and_show_tells_the_same_afterwards(shop: Shell, server: str) -> None:
    more = (
        "--spec",
        "preset=default",
        "--spec",
        "one-shot-first=no",
        "--spec",
        "screen-edits=1",
        "--explain",
        "--apply",
    )
    done = shop.run(*words(server, *more))
    assert done.code == 0
    assert "the candidate is compared with the current skill on up to 36 val cases" in " ".join(done.err.split())
    assert "now run on 18 fresh cases" in " ".join(done.err.split())
    after = " ".join(shop.ok("train", "show", "--explain").split())
    live = " ".join(done.err.split())
    for sentence in ("Step 1: accepted (", "Step 2: accepted (", "Confirmed: +83.3 points"):
        assert sentence in after
        assert sentence in live
    training = shop.json("train", "list")[0]["run"]
    assert "Write units." in shop.ok("train", "show")
    lines = {one["text"]: one for one in shop.json("skills", "blame", "adder")}
    told = lines["Write units."]
    assert (told["training"], told["edit"]) == (training, {"step": 1, "op": "append"})
    assert told["interval"][0] < told["effect"] < told["interval"][1]
    assert lines["Add."]["training"] is None
    assert f"training {training[:8]}/1 +19.4" in shop.ok("skills", "blame", "adder")
    newest = shop.json("skills", "history", "adder")[-1]
    assert newest["gain"] == pytest.approx(15 / 18)
    assert "points by line: “" in newest["receipt"]


def test_trainings_are_listed_shown_resumed_and_compared(shop: Shell, server: str) -> None:
    first: dict[str, Any] = shop.json(*words(server))
    again = shop.json("train", "resume", first["run"][:8])
    assert again == first
    other = shop.json(*words(server, "--spec", "max-edits=0", "--spec", "min-edits=0"), code=1)
    assert (other["decision"], other["draft"]) == ("uninformative", None)
    table = shop.ok("train", "list")
    assert "0.389 -> 1.000" in table
    assert "proven +83.3 points (18 fresh cases)" in table
    assert [one["run"] for one in shop.json("train", "list")] == [other["run"], first["run"]]
    assert shop.json("train", "show", first["run"][:6])["skill_hash"] == first["skill_hash"]
    said = shop.ok("train", "compare", first["run"], other["run"])
    assert "points compared with the first's, on 18 shared" in said
    file = shop.folder / "page.html"
    assert str(file) in shop.ok("train", "show", first["run"], "--report", str(file))
    assert GUESS in file.read_text(encoding="utf-8")


def test_what_does_not_beat_a_one_shot_rewrite_says_so_plainly(shop: Shell, server: str) -> None:
    done = shop.run(*words(server, "--spec", "max-edits=0", "--spec", "min-edits=0", "--cases", "few.jsonl"))
    assert done.code == 1
    assert done.out.startswith("adder: Nothing better was found: no candidate beat the initial skill.")
    assert "It does not beat a one-shot rewrite of the same skill" in done.out


def test_a_budget_that_is_used_up_names_the_command_that_goes_on(shop: Shell, server: str) -> None:
    done = shop.run(*words(server, "--budget", "rollouts=20", "--cases", "few.jsonl"))
    assert done.code == 1
    assert done.out.startswith("adder: Stopped: the budget of 20 rollouts is used up.")
    last = done.err.splitlines()[-1]
    assert last.startswith("Continue (nothing is paid for twice): metier train resume ")
    run = last.split()[-3]
    assert shop.json("train", "resume", run, "--budget", "rollouts=2000")["status"] == "finished"


def test_a_training_that_was_begun_from_python_goes_on_there(shop: Shell) -> None:
    with Workspace.open(shop.folder) as ws:
        work = ws.train("adder", cases="cases.jsonl", target=solve, optimiser=Optimiser())
        next(work)
        work.close()
    done = shop.run("train", "resume", shop.json("train", "list")[0]["run"])
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "started from Python" in done.err
    shown = shop.ok("train", "show")
    assert shown.startswith("adder: Running or interrupted: ")


def line(name: str, task: str = "x", **more: str) -> str:
    return json.dumps({"id": name, "input": task, "expected": "1", **more})


def test_cases_that_cannot_be_used_are_one_line_on_stderr(shop: Shell) -> None:
    for content, said in (
        ("", "it is empty"),
        (f"{line('a')}\n{line('b', expected='2')}", "different answers"),
        (f"{line('a', split='train')}\n{line('b', split='val')}", "different splits"),
        (f"{line('a', split='train')}\n{line('b', 'y', split='train')}", "to choose by"),
        ('{"id": "a"', "line 1: no JSON"),
        (line("a", scorer="exat"), "exact"),
    ):
        (shop.folder / "bad.jsonl").write_text(content, encoding="utf-8")
        done = shop.run(*words("openai:m@http://127.0.0.1:9/v1", "--cases", "bad.jsonl"))
        assert (done.code, done.out, done.err.count("\n")) == (1, "", 1), done.err
        assert said in done.err


def test_what_is_wrong_is_said_in_one_line_before_anything_is_spent(shop: Shell) -> None:
    for more, code, said in (
        (("--target", "foo"), 2, "'foo' is not a target"),
        (("--target", "python=nowhere:f"), 2, "There is no function nowhere:f"),
        (("--target", "agent=claud-code"), 2, "claude-code"),
        (("--spec", "epoch=2"), 2, "Did you mean epochs?"),
        (("--spec", "epochs=many"), 2, "must be a whole number"),
        (("--spec", "gate=loose"), 2, "strict, off"),
        (("--budget", "money=2"), 2, "--budget needs"),
        (("--budget", "calls=-1"), 2, "give a number of 0 or more"),
        (("--budget", "usd=5"), 2, "a limit in dollars cannot be kept"),
        (("--cases", "nowhere.jsonl"), 1, "nowhere.jsonl cannot be read"),
        (("--out", "."), 1, "nothing is overwritten"),
    ):
        done = shop.run(*words("openai:m@http://127.0.0.1:9/v1", *more))
        assert (done.code, done.out, done.err.count("\n")) == (code, "", 1), done.err
        assert said in done.err
    assert shop.json("train", "list") == []


def test_without_a_model_the_way_to_set_one_is_named(shop: Shell) -> None:
    done = shop.run("train", "adder", "--cases", "cases.jsonl", "--target", "python=train_world:solve")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "METIER_MODEL" in done.err


def test_help_names_the_commands_and_no_words_at_all_show_it(shop: Shell) -> None:
    text = shop.ok("train", "--help")
    for name in ("run", "resume", "list", "show", "compare"):
        assert f"\n  {name} " in text
    assert shop.run("train").code == 2
    assert "--budget" in shop.ok("train", "run", "--help")


def test_ctrl_c_leaves_a_training_that_goes_on_and_one_line_that_says_how(shop: Shell, server: str) -> None:
    (shop.folder / "slow_agent.py").write_text(
        "import time, train_world\n\n"
        "def run(case, skill):\n    time.sleep(0.05)\n    return train_world.solve(case, skill)\n",
        encoding="utf-8",
    )
    metier = [sys.executable, "-m", "metier", "-w", str(shop.folder)]
    environ = {**os.environ, "PYTHONPATH": str(WORLD)}
    more = [*words(server)[:4], "--target", "python=slow_agent:run", *words(server)[6:]]
    process = subprocess.Popen(
        [*metier, *more], cwd=shop.folder, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    first = line_of(process, process.stderr)  # the estimate: everything is in place
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1, first + err
    assert "Traceback" not in err
    assert out.startswith("adder: Stopped: it was interrupted.")
    assert err.splitlines()[-1].startswith("Continue (nothing is paid for twice): metier train resume ")
    assert shop.json("train", "list")[0]["status"] == "stopped"


def test_a_skill_is_scored_against_its_version_before_or_none(shop: Shell, server: str) -> None:
    shop.json(*words(server, "--apply"))
    given = ("eval", "adder", "--cases", "cases.jsonl", "--target", "python=train_world:solve")
    said = shop.json(*given)
    assert (said["skill"]["name"], said["against"]["name"], said["decision"]) == ("adder v2", "v1", "accept")
    assert (said["skill"]["hard"], said["against"]["hard"], said["gain"]) == (1.0, 0.25, 0.75)
    assert (said["skill"]["completed"], len(said["per_case"])) == (120, 120)
    assert shop.json(*given, "--against", "none")["against"]["name"] == "no skill"
    again = shop.json(*given, "--against", "v2")
    assert (again["rollouts"], again["gain"]) == (0, 0)
    text = shop.ok(*given)
    assert text.startswith("adder v2 against v1: better: +75.0 points on 120 cases")
    assert "120 of 120" in text
    assert "and 50 more cases with different results" in text
    done = shop.run(*given, "--against", "9")
    assert (done.code, done.err) == (1, "metier: adder has no version '9'. Name one, a skill's folder, or none.\n")
    limited = shop.run(*given, "--samples", "2", "--budget", "rollouts=3")
    assert (limited.code, "the budget of 3 rollouts is used up" in limited.err) == (1, True)


def test_an_evaluation_whose_target_is_down_gives_no_scores(shop: Shell) -> None:
    done = shop.run("eval", "adder", "--cases", "cases.jsonl", "--target", "command=no-such-program {task}")
    assert (done.code, done.out) == (1, "")
    assert "the first 3 attempts could not be scored ('no-such-program' cannot be started" in done.err


def test_the_other_evaluations_are_still_commands_of_their_own(shop: Shell) -> None:
    text = shop.ok("eval", "--help")
    for name in ("skill", "selection", "admission"):
        assert f"\n  {name} " in text
