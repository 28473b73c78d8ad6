"""Sharing: what was approved on one machine reaches the others, by a server or by a branch in git."""

from __future__ import annotations
