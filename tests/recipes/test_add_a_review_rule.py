"""The recipe "A review rule" works to the letter: one entry in one file of a copy of the package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import package_copy
import pytest

pytestmark = pytest.mark.xdist_group("recipes")
GUIDE = (Path(__file__).parents[2] / "docs" / "security.md").read_text(encoding="utf-8").partition("### Add a rule")[2]
CODE = """
import json
from metier.review.review import review_package
from metier.review.rules.catalogue import explain
from metier.skills.package import Package

rule = explain("printer-firmware")
answers = []
for text in (*rule.hostile, *rule.harmless):
    document = f"---\\nname: helper\\ndescription: Helps.\\n---\\n\\n{text}\\n"
    result = review_package(Package(files={"SKILL.md": document.encode()}))
    answers.append([result.status, rule.id in [one.rule for one in result.findings if one.severity == "high"]])
print(json.dumps(answers))
"""


def test_a_new_rule_takes_one_entry_in_one_file(tmp_path: Path) -> None:
    package = package_copy.copy_package(tmp_path / "src")
    (entry,) = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    (file,) = re.findall(r"end of `src/metier/(\S+\.toml)`", GUIDE)
    before = (package / file).read_text(encoding="utf-8")
    (package / file).unlink()
    (package / file).write_text(f"{before}\n{entry}", encoding="utf-8")
    environ = {**os.environ, "PYTHONPATH": str(package.parent)}
    done = subprocess.run([sys.executable, "-c", CODE], env=environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["quarantined", True], ["candidate", False]]
