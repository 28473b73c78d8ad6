"""Sections are found where a Markdown reader sees them, and replaced alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.errors import InputError, NotFoundError
from metier.skills.document.sections import replace_section, section, sections

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
    one = section(document, "B")
    assert document[one.span.start : one.span.end] == b"## B\nb\n### C\nc\n"
    assert document[one.body.start : one.body.end] == b"b\n### C\nc\n"


def test_one_section_is_replaced_and_all_other_bytes_stay() -> None:
    document = b"# A\r\n\r\n## B\r\nold\r\n## C\r\n  keep \r\n"
    assert (
        replace_section(document, "B", "new\nlines\n")
        == b"# A\r\n\r\n## B\r\n\r\nnew\r\nlines\r\n\r\n## C\r\n  keep \r\n"
    )
    assert replace_section(b"## B", "B", "new") == b"## B\n\nnew\n"


def test_a_section_is_never_guessed() -> None:
    with pytest.raises(NotFoundError, match="'Nowhere'"):
        section(DOCUMENT, "Nowhere")
    with pytest.raises(InputError, match="lines 1, 3"):
        section(b"# A\n# B\n## A\n", "A")
    assert section(b"# A\n# B\n## A\n", "## A").line == 3


def test_seven_marks_a_missing_space_and_four_spaces_make_no_heading() -> None:
    assert [one.title for one in sections(b"####### a\n#b\n    # c\n#\n# d #\n   ## e\n")] == ["", "d", "e"]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["# A", "## B", "text", "```", "~~~", "<!--", "-->", ""])),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_replacing_a_section_keeps_what_is_before_and_after(pieces: list[str], newline: str) -> None:
    document = newline.join(pieces).encode()
    found = sections(document)
    for one in found:
        if sum(other.title == one.title for other in found) == 1:
            changed = replace_section(document, one.title, "fresh")
            assert changed.startswith(document[: one.body.start])
            assert changed.endswith(document[one.body.end :])
