"""Get ready for the tests marked `browser`: Debian's chromium, and axe-core from npm, outside the repository.

    python scripts/install_browser.py

axe-core goes into a cache folder (`BROWSER_CACHE`, else `~/.cache/metier-browser`). Where something cannot be
installed, one line says so, the exit code is 0, and those tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

AXE = "4.14.0"
CHROMIUM = "/usr/bin/chromium"
SECONDS = 600
APT = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"]


def cache_folder() -> Path:
    """Where axe-core is."""
    given = os.environ.get("BROWSER_CACHE")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(given) if given else cache / "metier-browser"


def axe_file() -> Path:
    """The script that looks for what is hard to use."""
    return cache_folder() / AXE / "node_modules" / "axe-core" / "axe.min.js"


def chromium() -> str:
    """The browser's program; empty: there is none."""
    return CHROMIUM if Path(CHROMIUM).exists() else shutil.which("chromium") or ""


def install_chromium() -> str:
    """Install the browser; returns why that failed, or an empty text."""
    if chromium():
        return ""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return "there is no chromium, and no apt-get that this user may run"
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], env=environ, timeout=SECONDS, check=False)
    done = subprocess.run(APT, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False)
    return "" if chromium() else f"apt-get failed: {' '.join(done.stderr.split())[-200:]}"


def install_axe() -> str:
    """Install axe-core; returns why that failed, or an empty text."""
    if axe_file().is_file():
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "there is no npm"
    folder = cache_folder() / AXE
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        npm,
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
        str(folder),
        f"axe-core@{AXE}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return "" if axe_file().is_file() else f"npm failed: {' '.join(done.stderr.split())[-200:]}"


def main() -> None:
    """Install both, and say what is missing."""
    for what, problem in (("chromium", install_chromium()), ("axe-core", install_axe())):
        if problem:
            sys.stdout.write(f"SKIPPED: the browser tests cannot use {what}: {problem}.\n")


if __name__ == "__main__":
    main()
