"""Two days of orders: on the second, France pays less on phones."""

import numpy as np
import pandas as pd


def sales(n: int = 12_000, seed: int = 3) -> pd.DataFrame:
    """Orders with a missing device now and then, a number of items, and the revenue."""
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "day": draw.choice(["mon", "tue"], n),
            "country": draw.choice(["DE", "FR", "US", "JP"], n, p=[0.4, 0.3, 0.2, 0.1]),
            "device": draw.choice(["phone", "desktop", None], n, p=[0.5, 0.45, 0.05]),
            "shop": draw.choice([f"s{i}" for i in range(20)], n),
            "load": np.round(draw.gamma(2, 10, n), 3),
            "items": draw.integers(1, 6, n),
        }
    )
    frame["revenue"] = np.round(draw.lognormal(3, 0.6, n), 2)
    broken = (frame.day == "tue") & (frame.country == "FR") & (frame.device == "phone")
    frame.loc[broken, "revenue"] = np.round(frame.revenue[broken] * 0.3, 2)
    frame.loc[draw.random(n) < 0.02, "revenue"] = np.nan
    return frame
