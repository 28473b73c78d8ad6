"""A browser page as the tests use it: it notes everything that must not happen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path

    from dashboard_world import ServedDashboard
    from playwright.sync_api import Browser, BrowserContext, Page, Request

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


class Eyes:
    """Opens a dashboard by its one-time link, and watches."""

    def __init__(self, browser: Browser, pictures: Path) -> None:
        self._browser = browser
        self._pictures = pictures
        self._contexts: list[BrowserContext] = []
        self.problems: list[str] = []

    def open(self, served: ServedDashboard, path: str = "/", *, dark: bool = False, phone: bool = False) -> Page:
        """A page of the dashboard, in a browser that has never seen it."""
        settings: dict[str, Any] = {"viewport": PHONE if phone else WIDE, "reduced_motion": "reduce"}
        context = self._browser.new_context(color_scheme="dark" if dark else "light", has_touch=phone, **settings)
        context.set_default_timeout(10_000)
        self._contexts.append(context)
        page = context.new_page()
        access = served.board.access
        page.on(
            "console",
            lambda said: self._note(
                f"console {said.type}: {said.text} {said.location}", said.type in ("error", "warning")
            ),
        )
        page.on("pageerror", lambda error: self._note(f"script: {error}"))
        page.on("dialog", lambda dialog: (self._note(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self._check_request(request, access.host, access.token))
        page.goto(access.new_link())
        page.wait_for_url(f"{access.origin}/")
        if path != "/":
            page.goto(access.origin + path)
        page.wait_for_load_state("load")
        return page

    def picture(self, page: Page, name: str, *, whole: bool = False) -> None:
        """Keep what is on the screen."""
        page.wait_for_timeout(150)
        page.screenshot(path=self._pictures / f"{name}.png", full_page=whole)

    def allow(self, pattern: str) -> None:
        """Forget problems that a test means to cause."""
        self.problems = [one for one in self.problems if not re.search(pattern, one)]

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _check_request(self, request: Request, host: str, token: str) -> None:
        self._note(f"request to {request.url}", urlsplit(request.url).netloc != host)
        self._note(f"token in {request.url}", token in request.url)
        self._note(f"referrer {request.headers.get('referer')}", bool(request.headers.get("referer")))

    def _note(self, text: str, wrong: bool = True) -> None:
        if wrong:
            self.problems.append(text)
