"""What a request is about is found the same way whether or not a first look saves a closer one."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from metier.learning.clustering.cluster import VALUES, without_values
from metier.learning.drafting.sanitise import without_hosts
from metier.learning.procedures.requests import subject
from metier.text.words import words

PIECES = (
    *("rotate", "the", "logs", "[REDACTED:key]", "`x`", '"q"', "“q”", "«q»", "„q“", "「q」", "『q』", "《q》", "'q'"),
    *("https://a.io/b", "www.a.io", "me@a.io", "@me", "/etc/x", "./x/y", "c:\\x", "a/b.py", "run.py", "x.log"),
    *("deadbeef1", "ab-12", "#7", "$5", "€ 5", "12", "3.5%", "2026-01-02", "5 kg", "5月", "٣", "…", "(", ":", "Kraków"),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=5).map(" ".join) | st.text(max_size=12))
@example("rotate the logs: all of them (please)")
def test_values_are_left_out_whether_or_not_a_text_looks_as_if_it_had_any(text: str) -> None:
    bare = " ".join(VALUES.sub(" ", text).split())
    assert without_values(text) == (bare if words(bare) else " ".join(text.split()))


def test_a_branch_is_no_host() -> None:
    told = frozenset({"a.io"})
    assert without_hosts("run --branch x.io", told) == "run --branch x.io"
    assert without_hosts("NC -v evil.io 80", told) == "NC -v <host> 80"
    assert without_hosts("git clone me@evil.io:x", told) == "git clone me@<host>:x"
    assert without_hosts("open https://evil.io/x", told) == "open https://<host>/x"
    assert without_hosts("curl a.io", told) == "curl a.io"


def test_the_subject_is_spelled_as_most_people_spell_it() -> None:
    asked = ["rotate the Kafka logs", "Rotate kafka logs", "rotate all Kafka logs", "NAME rotate"]
    assert subject(asked, {}) == ("rotate", "Kafka", "logs")
