"""Sections are found where a Markdown reader sees them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from metier.skills.document.sections import sections

DOCUMENT = b"""---
name: x
# no heading
---
# Title

Intro.

## Steps ##

```sh
# a comment in code
````
## still code
```

<!-- hidden
## not a heading
-->
### Detail
more

~~~
# code
```
~~~
## End
"""


def test_code_comments_and_frontmatter_hold_no_headings() -> None:
    assert [(one.level, one.title, one.line) for one in sections(DOCUMENT.replace(b"````\n", b""))] == [
        (1, "Title", 5),
        (2, "Steps", 9),
        (3, "Detail", 19),
        (2, "End", 26),
    ]


def test_a_longer_fence_ends_a_code_block_and_text_behind_the_fence_does_not() -> None:
    titles = [one.title for one in sections(b"```\n# no\n``` x\n# no\n````\n# yes\n```a`b\n# also\n")]
    assert titles == ["yes", "also"]


def test_a_section_reaches_to_the_next_heading_of_its_level() -> None:
    document = b"# A\n## B\nb\n### C\nc\n## D\n"
    one = sections(document)[1]
    assert document[one.span.start : one.span.end] == b"## B\nb\n### C\nc\n"
    assert document[one.body.start : one.body.end] == b"b\n### C\nc\n"


def test_seven_marks_a_missing_space_and_four_spaces_make_no_heading() -> None:
    assert [one.title for one in sections(b"####### a\n#b\n    # c\n#\n# d #\n   ## e\n")] == ["", "d", "e"]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["# A", "## B", "text", "```", "~~~", "<!--", "-->", ""])),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_a_section_begins_with_its_heading_and_holds_its_body(pieces: list[str], newline: str) -> None:
    document = newline.join(pieces).encode()
    for one in sections(document):
        assert document[one.span.start : one.body.start].strip() == f"{'#' * one.level} {one.title}".encode()
        assert one.span.end == one.body.end
