"""The plugin's own texts tell agents to show and to name what the person runs; none tells them to decide."""

from __future__ import annotations

import re
from importlib.resources import files

from metier.hooks.deciding import DECIDING

PLUGIN = files("metier.agents") / "plugin"
TEXTS = ("commands/learn.md", "commands/review-drafts.md", "skills/metier/SKILL.md")
TOLD_THE_PERSON = "own terminal"


def test_no_command_of_the_plugin_has_the_agent_decide() -> None:
    for name in TEXTS:
        text = (PLUGIN / name).read_text(encoding="utf-8")
        for sentence in re.split(r"(?<=[.;:])\s", " ".join(text.split())):
            for words in DECIDING:
                if re.search(rf"metier {' '.join(words)}\b", sentence):
                    assert TOLD_THE_PERSON in sentence, f"{name}: {sentence}"
