"""Print the requirements of the extra `sources`, so that they can be installed without rebuilding the package."""

import tomllib
from pathlib import Path

if __name__ == "__main__":
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    [every] = extras["sources"]  # wmsketch[kafka,redis,...]
    for name in every.partition("[")[2].rstrip("]").split(","):
        print("\n".join(extras[name]))
