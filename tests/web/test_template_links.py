"""Every link, form and button of the templates leads to a route that exists."""

from __future__ import annotations

import re

import pytest

from metier.web.pages import ROUTES
from metier.web.render import FOLDER

LINKS = re.compile(r'(?:href|action|data-post)="(/[^"?#]*)')
VALUES = re.compile(r"\{\{.*?\}\}")
STATIC = FOLDER.parent / "static"


@pytest.mark.parametrize("template", sorted(one.name for one in FOLDER.glob("*.html")))
def test_every_address_in_a_template_has_a_route(template: str) -> None:
    text = VALUES.sub("abcd1234", (FOLDER / template).read_text(encoding="utf-8"))
    for address in LINKS.findall(text):
        known = any(route.path_regex.match(address) for route in ROUTES)
        assert known or (STATIC / address.removeprefix("/static/")).is_file(), address
