"""Roles, and what each may do: a table of rights, and a table of the right that each route needs.

A route without a row is answered to nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

Right = Literal["look", "decide", "record", "measure"]
Role = Literal["record", "metrics", "viewer", "reviewer", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
RIGHTS: Mapping[str, frozenset[Right]] = {
    "record": frozenset({"record"}),
    "metrics": frozenset({"measure"}),
    "viewer": frozenset({"look"}),
    "reviewer": frozenset({"look", "decide"}),
    "admin": frozenset({"look", "decide", "record", "measure"}),
}
ABOUT: Mapping[str, str] = {
    "record": "sends runs and traces, sees nothing",
    "metrics": "reads /metrics",
    "viewer": "looks at every page",
    "reviewer": "looks, and decides on lessons, drafts and skills",
    "admin": "everything",
}
NEEDS: Mapping[tuple[str, str], Right] = {
    ("GET", "/"): "look",
    ("GET", "/lessons"): "look",
    ("GET", "/lessons/{lesson}"): "look",
    ("GET", "/runs"): "look",
    ("GET", "/runs/{run}"): "look",
    ("GET", "/skills"): "look",
    ("GET", "/skills/{skill}"): "look",
    ("GET", "/select"): "look",
    ("GET", "/training"): "look",
    ("GET", "/training/{training}"): "look",
    ("GET", "/audit"): "look",
    ("GET", "/audit/calls"): "look",
    ("GET", "/fleet"): "look",
    ("GET", "/proof"): "look",
    ("GET", "/proof/trials/{trial}"): "look",
    ("GET", "/proof/new/{skill}"): "look",
    ("POST", "/proof/new/{skill}/start"): "decide",
    ("POST", "/proof/trials/{trial}/stop"): "decide",
    ("GET", "/proof/cases"): "look",
    ("GET", "/proof/cases/{case}"): "look",
    ("POST", "/proof/cases/{case}/accept"): "decide",
    ("POST", "/proof/cases/{case}/reject"): "decide",
    ("POST", "/proof/cases/{case}/reopen"): "decide",
    ("GET", "/events"): "look",
    ("GET", "/static"): "look",
    ("POST", "/lessons/{lesson}/approve"): "decide",
    ("POST", "/lessons/{lesson}/reject"): "decide",
    ("POST", "/lessons/{lesson}/edit"): "decide",
    ("POST", "/lessons/{lesson}/forget"): "decide",
    ("POST", "/lessons/{lesson}/pause"): "decide",
    ("POST", "/lessons/{lesson}/reopen"): "decide",
    ("POST", "/review/reject"): "decide",
    ("POST", "/audit/{entry}/take-back"): "decide",
    ("POST", "/drafts/{draft}/approve"): "decide",
    ("POST", "/drafts/{draft}/reject"): "decide",
    ("POST", "/drafts/{draft}/reopen"): "decide",
    ("POST", "/drafts/{draft}/edit"): "decide",
    ("POST", "/runs/{run}/mark"): "decide",
    ("POST", "/skills/{skill}/rollback"): "decide",
    ("POST", "/skills/{skill}/archive"): "decide",
    ("POST", "/skills/{skill}/restore"): "decide",
    ("POST", "/fleet/{job}/retry"): "decide",
    ("POST", "/fleet/{job}/drop"): "decide",
    ("POST", "/undo/{name}"): "decide",
    ("POST", "/v1/runs"): "record",
    ("POST", "/v1/traces"): "record",
    ("GET", "/metrics"): "measure",
}
"""The right that each route needs, by method and path as the route has it."""


def may(role: str, right: Right) -> bool:
    """Whether a role has a right; one that nobody knows has none."""
    return right in RIGHTS.get(role, frozenset())
