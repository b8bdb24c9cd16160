"""Print what the package and the given extras require, so that it can be installed without building the package.

python tools/requirements.py dev spark
python tools/requirements.py --only wheels    # what the extra requires, without what the package does
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())["project"]


def requirements(extra: str) -> Iterator[str]:
    """Yield the requirements of an extra. An extra may name others: `wmsketch[arrow,plot]`."""
    for line in PROJECT["optional-dependencies"][extra]:
        others = re.fullmatch(rf"{PROJECT['name']}\[([\w,-]+)\]", line)
        if others:
            for other in others[1].split(","):
                yield from requirements(other)
        else:
            yield line


if __name__ == "__main__":
    extras = [word for word in sys.argv[1:] if word != "--only"]
    found = [line for extra in extras for line in requirements(extra)]
    if "--only" not in sys.argv:
        found = PROJECT["dependencies"] + found
    print("\n".join(dict.fromkeys(found)))
