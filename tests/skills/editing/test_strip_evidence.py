"""What ships says what to do; which runs taught it stays behind."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.skills.document.lines import lines_of, text_of
from metier.skills.document.sections import sections
from metier.skills.editing.strip_evidence import strip_evidence

RUN = "3f9a2b1c0d4e5f6a7b8c9d0e"


@pytest.mark.parametrize("title", ["Source Evidence", "SOURCE RUNS", "Evidence", "**Provenance**", "Run evidence:"])
@pytest.mark.parametrize("marks", ["#", "##", "####"])
def test_a_section_of_provenance_goes_with_all_below_it(title: str, marks: str) -> None:
    body = f"{marks} Steps\n\n1. Do it.\n\n{marks} {title}\n\nSeen in 5 runs.\n\n{marks} Result\n\nDone.\n"
    assert strip_evidence(body) == f"{marks} Steps\n\n1. Do it.\n\n{marks} Result\n\nDone.\n"


@pytest.mark.parametrize(
    "line",
    [
        "- run 3f9a2b1c",
        "- run 3f9a…",
        "* Run 3f9a...: fixed the login",
        "- **Run** `3f9a2b1c0d4e`: worked",
        f"- run {RUN}",
        f"- {RUN}",
        f"- `{RUN}`",
        f"Evidence: run {RUN}",
        "**Evidence:** run 3f9a2b1c",
        "Source: run 3f9a2b1c, run 4f9a2b1c",
        "Source runs: 3f9a2b1c, 4f9a2b1c and 5f9a2b1c",
        "Runs: a1b2…, c3d4…",
        "Runs: a1b2, c3d4",
        "Run ids: 3f9a2b1c",
        "- from run 3f9a2b1c",
        "> Learned from: run 3f9a2b1c",
        "<!-- evidence: run 3f9a2b1c -->",
        "- run 12345678",
        f"Compare run {RUN} with the next.",
    ],
)
def test_a_line_of_evidence_goes(line: str) -> None:
    assert strip_evidence(f"Do this.\n\n{line}\n\nThen that.\n") == "Do this.\n\nThen that.\n"


@pytest.mark.parametrize(
    "line",
    [
        "- run the tests",
        "- Run 10000000 iterations.",
        "- run `git revert 3f9a2b1c`",
        "- run deadbeef.sh",
        "- run abc123/def456",
        "Source: https://example.com/3f9a2b1c",
        "Evidence: attach a screenshot.",
        "Runs: 1000",
        "Runs: every night",
        "Take back 3f9a2b1c0d4e with git revert.",
        f"The object id is {RUN} in the example.",
        f"Use `gh run view {RUN}` to see it.",
        "- run add...",
        "- Collect evidence: photos, logs.",
    ],
)
def test_what_the_skill_is_about_stays(line: str) -> None:
    body = f"Do this.\n\n{line}\n\nThen that.\n"
    assert strip_evidence(body) == body


def test_an_aside_goes_and_the_sentence_stays() -> None:
    body = f"Use --force (run {RUN}).\nWait a second, as seen in run 3f9a2b1c and 4f9a2b1c, then go on.\n"
    assert strip_evidence(body) == "Use --force.\nWait a second, then go on.\n"


def test_a_label_goes_with_the_last_of_its_lines() -> None:
    assert strip_evidence("Do it.\n\nEvidence:\n\n- run 3f9a2b1c\n- run 4f9a2b1c\n\nDone.\n") == "Do it.\n\nDone.\n"
    kept = strip_evidence("Evidence:\n\n- a photo\n- run 3f9a2b1c\n")
    assert kept == "Evidence:\n\n- a photo\n"


def test_code_is_never_changed() -> None:
    fence = f"```\n# Evidence\n- run 3f9a2b1c\nEvidence: run {RUN}\n```\n"
    deep = f"1. Do\n\n    ```\n    - run {RUN}\n    ```\n"
    tilde = "~~~~\n```\n## Source Evidence\nruns\n~~~~\n"
    for body in (fence, deep, tilde, f"Text.\n\n{fence}\n{deep}\n{tilde}"):
        assert strip_evidence(body) == body


def test_a_skill_about_evidence_keeps_its_sections() -> None:
    body = (
        "---\nname: evidence-collection\ndescription: Collects evidence.\n---\n\n# Evidence collection\n\n"
        "## Evidence\n\nBag all runs of the tape.\n\n- run 3f9a2b1c\n"
    )
    assert strip_evidence(body) == body.replace("\n- run 3f9a2b1c\n", "\n")
    report = "# Bug report\n\n## Evidence\n\nAttach the log and a screenshot.\n"
    assert strip_evidence(report) == report


def test_line_ends_and_the_missing_last_one_stay() -> None:
    assert strip_evidence("a\r\n\r\n- run 3f9a2b1c\r\n\r\nb") == "a\r\n\r\nb"
    assert strip_evidence("") == ""


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("- run 3f9a2b1c\n---\n```\n---\n## Evidence\n", "---\n```\n---\n"),
        ("(run 3f9a2b1c)```\ncode\n", "```\ncode\n"),
        ("(run 3f9a2b1c)## Source runs\n\nb\n", ""),
    ],
    ids=["frontmatter appears", "code appears", "a heading appears"],
)
def test_what_reads_otherwise_once_a_line_is_gone_is_looked_at_again(body: str, after: str) -> None:
    assert strip_evidence(body) == after
    assert strip_evidence(after) == after


def test_a_comment_of_several_lines_is_never_left_open() -> None:
    body = "a\n<!-- note\n- run 3f9a2b1c -->\n# B\n\n- run 3f9a2b1c\n"
    assert strip_evidence(body) == "a\n<!-- note\n- run 3f9a2b1c -->\n# B\n\n"


PIECES = st.lists(
    st.sampled_from(
        [
            *("# A", "## Evidence", "## Source Evidence", "## Learned Evolution", "### Steps", "###### x", "text", ""),
            *("- run 3f9a2b1c", "Evidence:", "Runs: a1b2…", "```", "~~~", "    ```", "<!--", "-->", "- item", "runs"),
            *("(run 3f9a2b1c) ```", "- run 3f9a2b1c -->", "(run 3f9a2b1c) ## Evidence"),
            *(f"see run {RUN} now", f"a (run {RUN}) b", "---", "name: x", "1. step", "  - nested", "\t- run 3f9a2b1c"),
        ]
    ),
    max_size=14,
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(PIECES, ENDS)
@settings(max_examples=100, deadline=None)
def test_once_is_enough_and_nothing_new_is_written(pieces: list[str], end: str) -> None:
    body = end.join(pieces)
    once = strip_evidence(body)
    assert strip_evidence(once) == once
    words = iter(body.replace("#", "").split())
    assert all(word in words for word in once.replace("#", "").split())


@given(st.text(alphabet="# \t`~<!->-\r\nab\x0b\x0c\x1c\x85\u2028\xa0=", max_size=60) | PIECES.map("\n".join))
@settings(max_examples=100, deadline=None)
def test_lines_know_the_headings_that_sections_know(text: str) -> None:
    found = lines_of(text)
    assert text_of(found.lines) == text
    headings = [(line.level, line.title) for line in found.lines if line.kind == "heading"]
    assert headings == [(one.level, one.title) for one in sections(text.encode())]


@pytest.mark.parametrize("piece", [" ", "(run ", "\t(", "`` `", "run 3f9a2b1c, ", "> ", "*", "1 a ", "Evidence: ", "9"])
def test_a_hostile_line_costs_little(piece: str) -> None:
    begun = time.process_time()
    strip_evidence(f"## Evidence\n{piece * 60_000}\n- run {piece * 60_000}\nrun {RUN} {piece * 60_000}\n")
    strip_evidence(f"{piece * 100_000}\n\n- {piece * 100_000}\n\n    {piece * 100_000}\n")
    strip_evidence("## Evidence\n" * 20_000)
    assert time.process_time() - begun < 3
