"""The pages, a file each: functions from a request to what a template shows, and actions that call services.

A page is a file here with `ROUTES`, a template, and its lines in this file (`docs/design/011-dashboard.md`).
"""

from __future__ import annotations

from metier.web.pages import (
    audit,
    cases,
    decisions,
    fleet,
    lessons,
    review,
    runs,
    select,
    skills,
    take_back,
    training,
    trials,
)

NAV = (
    ("/", "Review", "h"),
    ("/lessons", "Lessons", "l"),
    ("/runs", "Runs", "r"),
    ("/skills", "Skills", "s"),
    ("/training", "Training", "t"),
    ("/proof", "Proof", "p"),
    ("/audit", "Audit & costs", "a"),
)
"""Address, title and key of each page in the navigation."""
SHARED_NAV = (("/fleet", "Fleet", "f"),)
"""The same where machines share a store."""
ROUTES = (
    *review.ROUTES,
    *decisions.ROUTES,
    *lessons.ROUTES,
    *runs.ROUTES,
    *skills.ROUTES,
    *select.ROUTES,
    *training.ROUTES,
    *trials.ROUTES,
    *cases.ROUTES,
    *audit.ROUTES,
    *take_back.ROUTES,
    *fleet.ROUTES,
)
"""Every page's routes."""
