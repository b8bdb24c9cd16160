"""Killed training from servers resumes to the same bytes; `tests.sources.kill_at_random` repeats this more often."""

import random
from pathlib import Path

import pytest

from tests.sources.kill_at_random import ADDRESSES, kill
from tests.sources.servers import Missing

pytestmark = pytest.mark.slow
DRIVERS = {"redis": "redis", "kafka": "confluent_kafka", "postgres": "adbc_driver_postgresql"}


@pytest.mark.parametrize("name", ADDRESSES)
def test_kill_9_loses_and_repeats_nothing(name: str, tmp_path: Path) -> None:
    pytest.importorskip(DRIVERS[name])
    try:
        with ADDRESSES[name](tmp_path) as address:
            assert kill(address, tmp_path, 5, random.Random(2))["killed"] == 5
    except Missing as reason:
        pytest.skip(str(reason))
