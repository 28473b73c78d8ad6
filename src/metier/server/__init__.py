"""A server for many: the dashboard by roles, the way in for runs and traces, and metrics."""

from __future__ import annotations
