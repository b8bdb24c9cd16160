"""Build the wheels of this machine's processor into a folder, and the source distribution.

python tools/wheels.py dist [VERSION...]

A wheel for the limited API serves every Python from 3.12 on; 3.11 gets its own. Each is built by a Python of its
version, which is looked for on the path and where pyenv keeps them, and repaired by auditwheel, which finds the
oldest C library that it can run with (the manylinux tag).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "wheels"
LARGEST = 5_000_000  # bytes of a wheel
# The version of Python, and the options of the build.
BUILDS = {"3.11": (), "3.12": ("-Cwheel.py-api=cp312",)}


def run(*command: object) -> None:
    """Run a command, or end with its status."""
    status = subprocess.run([str(part) for part in command], cwd=ROOT).returncode
    if status:
        sys.exit(status)


def find_python(version: str) -> str:
    """Return the path of a Python of this version, or end with what to do."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [
        shutil.which(f"python{version}"),
        *sorted(pyenv.glob(f"{version}*/bin/python{version}"), reverse=True),
    ]
    for path in candidates:
        if path and subprocess.run([path, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0:
            return str(path)
    sys.exit(f"no Python {version} with venv was found: install it, or put it on the path")


def environment(version: str) -> Path:
    """Return the Python of an environment with the tools of the build, which is kept for the next time."""
    python = WORK / f"python{version}" / "bin" / "python"
    if not python.exists():
        run(find_python(version), "-m", "venv", python.parents[1])
    needed = subprocess.run(
        [sys.executable, ROOT / "tools" / "requirements.py", "--only", "wheels"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *needed.split("\n")[:-1])
    return python


def build(version: str, folder: Path) -> Path:
    """Build, repair and return the wheel for this version of Python."""
    python = environment(version)
    raw = WORK / f"raw{version}"
    shutil.rmtree(raw, ignore_errors=True)
    os.environ["PATH"] = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-build-isolation", "--no-deps")
    run(*pip, f"-Cbuild-dir={ROOT / 'build' / f'wheel{version}'}", *BUILDS[version], "-w", raw, ".")
    (wheel,) = raw.glob("*.whl")
    if not sys.platform.startswith("linux"):
        return Path(shutil.copy(wheel, folder))
    repaired = WORK / f"repaired{version}"
    shutil.rmtree(repaired, ignore_errors=True)
    run(python, "-m", "auditwheel", "repair", "--wheel-dir", repaired, wheel)
    (wheel,) = repaired.glob("*.whl")
    return Path(shutil.copy(wheel, folder))


def main(folder: Path, versions: list[str]) -> None:
    """Build everything, and say how large it is."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = [build(version, folder) for version in versions]
    run(environment(versions[-1]), "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, ".")
    for path in [*made, *folder.glob("*.tar.gz")]:
        print(f"{path.stat().st_size:>12,} bytes  {path.name}")
    too_large = [path.name for path in made if path.stat().st_size > LARGEST]
    if too_large:
        sys.exit(f"larger than {LARGEST:,} bytes: {', '.join(too_large)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2:] or list(BUILDS))
