"""The provenance of a number: command, commit, machine and versions."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGES = ("numpy", "scipy", "scikit-learn", "river")


def provenance() -> dict[str, object]:
    """Return the command (as given), commit ("+": with uncommitted changes), machine and versions.

    >>> sorted(provenance())
    ['command', 'commit', 'machine', 'versions']
    """
    main = sys.modules["__main__"].__spec__
    command = ["python", *(["-m", main.name] if main else [Path(sys.argv[0]).name]), *sys.argv[1:]]
    return {
        "command": " ".join(command),
        "commit": commit(),
        "machine": f"{cpu_model()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "versions": {"python": platform.python_version()} | {name: found_version(name) for name in PACKAGES},
    }


def commit() -> str:
    if git("rev-parse", "HEAD") == "unknown":
        return "unknown"
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!experiments/results")
    return git("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")


def git(*arguments: str) -> str:
    if not (ROOT / "src" / "wmsketch").is_dir():
        return "unknown"  # an installed package: a repository around it belongs to someone else
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown CPU"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown CPU")


def found_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
