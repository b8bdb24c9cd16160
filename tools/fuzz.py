"""Give fuzz targets processor time in turn, and write down what each had.

    python tools/fuzz.py SECONDS TARGET...

A target is a libFuzzer program in build/fuzz, or one of tests/fuzz as MODULE or MODULE:ARGUMENT, as `model_files` and
`python_inputs:hostile`. The seconds are of the processor: a busy machine gives a target as many as a quiet one.
Each run adds a line to build/fuzz/runs.jsonl, with the commit of the sources. Ends with 1 after the first finding,
which stays in build/fuzz.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

BUILD = Path("build/fuzz")
SEEDS = Path("cpp/fuzz/seeds")
TICK = os.sysconf("SC_CLK_TCK")


def command_of(target: str) -> list[str]:
    """The command that runs a target without an end, and keeps what it finds."""
    corpus = BUILD / "corpus" / target.replace(":", "_")
    corpus.mkdir(parents=True, exist_ok=True)
    program = BUILD / f"fuzz_{target}"
    if program.exists():
        (SEEDS / target).mkdir(exist_ok=True)
        options = ["-print_final_stats=1", f"-artifact_prefix={BUILD}/{target}-"]
        return [str(program), *options, str(corpus), str(SEEDS / target)]
    module, _, argument = target.partition(":")
    return [sys.executable, "-m", f"tests.fuzz.{module}", *([argument] if argument else []), "1000000"]


def processor_seconds(pid: int) -> float:
    """What a process has had of the processor so far, without its threads' waits."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / TICK


def commit() -> str:
    """The commit of the sources; with a plus if they have changed since."""
    asked = ["git", "describe", "--always", "--dirty=+", "--exclude=*", "--abbrev=8"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip()


def run(target: str, seconds: float) -> bool:
    """Run a target until it has had its seconds. Return whether it found nothing."""
    log = BUILD / f"{target.replace(':', '_')}.log"
    had = 0.0
    with log.open("w") as lines, subprocess.Popen(command_of(target), stdout=lines, stderr=lines) as process:
        while process.poll() is None and had < seconds:
            time.sleep(0.5)
            had = processor_seconds(process.pid)
        stopped = process.poll() is None
        process.terminate()
    said = log.read_text(errors="replace")
    counts = re.findall(r"number_of_executed_units: *(\d+)|^#(\d+)\t|^(\d+) (?:inputs|files)", said, re.M)
    inputs = max((int("".join(count)) for count in counts), default=0)
    line = {"target": target, "commit": commit(), "processor_seconds": round(had, 1), "inputs": inputs}
    line["found"] = not stopped
    with (BUILD / "runs.jsonl").open("a") as lines:
        print(json.dumps(line), file=lines)
    print(json.dumps(line), f"see {log}" if line["found"] else "", flush=True)
    return stopped


def main() -> int:
    """Run every target; end at the first finding."""
    seconds, targets = float(sys.argv[1]), sys.argv[2:]
    return 0 if all(run(target, seconds) for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
