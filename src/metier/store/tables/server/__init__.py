"""What a server for many machines keeps: who may use it, and traces on their way to runs."""

from __future__ import annotations
