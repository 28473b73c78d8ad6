"""A run is built piece by piece."""

from __future__ import annotations

from metier.capture.reading.run_builder import skills_opened_by


def test_reading_a_skills_file_names_the_skill() -> None:
    assert skills_opened_by("Bash", '{"command": "cat .claude/skills/flaky-tests/SKILL.md"}') == ("flaky-tests",)
    assert skills_opened_by("Write", '{"file_path": "skills/flaky-tests/SKILL.md"}') == ()
