"""Sharing: what was approved here reaches colleagues by a branch in git."""

from __future__ import annotations
