"""The part of Metier about codex."""
