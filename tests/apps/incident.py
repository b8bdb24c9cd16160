"""Rows of an incident."""

import numpy as np
import pandas as pd


def incident(n: int = 60_000) -> pd.DataFrame:
    """A release breaks android in eu-west; addresses that failed 12 times are noise."""
    draw = np.random.default_rng(11)
    frame = pd.DataFrame(
        {
            "ts": [
                f"2026-03-01T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}.{draw.integers(10**6):06}Z"
                for i in range(n)
            ],
            "trace_id": [f"{x:016x}" for x in draw.integers(0, 2**60, n)],
            "ip": [f"10.0.{x // 256}.{x % 256}" for x in draw.integers(0, 4000, n)],
            "os": draw.choice(["android", "ios", "web"], n, p=[0.4, 0.3, 0.3]),
            "region": draw.choice(["eu-west", "us-east", "us-west", "ap-south"], n),
            "release": draw.choice(["4.0.9", "4.1.0", "4.2.0"], n, p=[0.5, 0.3, 0.2]),
            "path": draw.choice([f"/p{i}" for i in range(40)], n),
        }
    )
    broken = (frame.os == "android") & (frame.region == "eu-west") & (frame.release == "4.2.0")
    frame["status"] = np.where((broken & (draw.random(n) < 0.6)) | (draw.random(n) < 0.004), 500, 200)
    bad = [f"172.16.0.{i}" for i in range(20)]
    where = draw.choice(n, 12 * len(bad), replace=False)
    frame.loc[where, "ip"] = np.repeat(bad, 12)
    frame.loc[where, "status"] = 500
    return frame
