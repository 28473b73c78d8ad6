"""The part of Tacit about codex."""
