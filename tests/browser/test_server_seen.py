"""The server in a real browser: a person signs in with a token, and sees what their role allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard_world import make_project
from server_world import serve_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page


def sign_in(browser: Browser, origin: str, token: str) -> Page:
    page = browser.new_context().new_page()
    page.set_default_timeout(10_000)
    page.goto(f"{origin}/lessons")
    page.fill("input[name=token]", token)
    page.click("button")
    return page


def test_a_reviewer_decides_a_viewer_only_looks_and_a_stranger_sees_a_form(tmp_path: Path, browser: Browser) -> None:
    with serve_workspace(make_project(tmp_path / "project")) as served:
        origin = served.binding.origin
        stranger = sign_in(browser, origin, "metier_000000000000_" + "x" * 43)
        assert "not good" in stranger.inner_text("p")
        viewer = sign_in(browser, origin, served.tokens["viewer"])
        viewer.wait_for_url(f"{origin}/")
        assert viewer.locator("nav a").count() >= 6
        assert viewer.locator("[data-post]:visible").count() == 0
        reviewer = sign_in(browser, origin, served.tokens["reviewer"])
        reviewer.wait_for_url(f"{origin}/")
        assert reviewer.locator("[data-post]:visible").count() > 0
        reviewer.keyboard.press("r")
        reviewer.wait_for_selector("#toasts >> text=Undo")
        assert "test reviewer" in viewer.goto(f"{origin}/audit").text()  # type: ignore[union-attr]
        for page in (stranger, viewer, reviewer):
            page.context.close()
