"""Hidden characters are found whether or not a first look saves a closer one."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from metier.review.rules import hidden_text as hidden
from metier.review.text.views import ReviewedText

SIGNS = (
    "aB \n“…é\u00ad\u034f\u115f\u1160\u180e\u200b\u200c\u200d\u2060\u2064\u2800\u3164\ufe00\ufe0f\ufeff"
    "\U000e0001\U000e007f\U000e0100\U000e01ef\U0001f3f4\u202a\u202e\u2066\u2069\u05d0\ufb1d"
)
texts = st.text(alphabet=SIGNS, max_size=14)


@settings(max_examples=80, deadline=None)
@given(texts)
@example("a\u200bb c\u200dd")
@example("\u2800" * 4)
@example("a\U000e0041\U000e0042")
@example("a\u202eb")
def test_a_first_look_rules_out_nothing_that_is_there(text: str) -> None:
    source = ReviewedText("SKILL.md", text)
    unseen = [match.span() for match in hidden._INVISIBLE.finditer(text)]
    many = len(unseen) >= 2 or any(end - start > 2 for start, end in unseen)
    assert list(hidden.invisible(source)) == (unseen if many else [])
    tagged = [match.span() for match in hidden._TAGS.finditer(text) if len(match[0]) > 1]
    assert list(hidden.tags(source)) == tagged
    turned = [] if hidden._RTL.search(text) else [match.span() for match in hidden._BIDI.finditer(text)]
    assert list(hidden.bidi(source)) == turned
