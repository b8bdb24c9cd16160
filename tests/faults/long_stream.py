"""A very long generated stream: bytes of the model, memory of the process and time per row stay constant.

    python -m tests.faults.long_stream [ROWS] [METHOD]

Rows have three features: two of 50,000, of which the most frequent hundred matter, and one that hardly ever repeats.
Prints a line for each tenth of the stream: rows, CPU nanoseconds per row, bytes of the model, memory of the process,
online error.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.sparse import csr_matrix

import wmsketch
from tests.faults.soak import resident

BLOCK = 1 << 17
VOCABULARY = 50_000
N_KEYS = 1 << 31


def main() -> None:
    """Learn the stream and print ten lines."""
    n_rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**9
    method = sys.argv[2] if len(sys.argv) > 2 else "AWMSketch"
    model = getattr(wmsketch, method)("8KiB")
    draw = np.random.default_rng(1)
    truth = np.where(np.arange(VOCABULARY) < 100, draw.normal(0, 2, VOCABULARY), 0.0)
    keys = np.empty((BLOCK, 3), dtype=np.int64)
    starts = np.arange(0, 3 * BLOCK + 1, 3)
    values = np.ones(3 * BLOCK, dtype=np.float32)
    words = np.minimum(draw.zipf(1.3, size=(BLOCK, 2)), VOCABULARY) - 1
    chance = draw.random(BLOCK)
    n_blocks = -(-n_rows // BLOCK)
    tenth = max(1, n_blocks // 10)
    spent, nanoseconds, first_memory = 0.0, [], 0
    for block in range(n_blocks):
        keys[:, 0] = np.roll(words[:, 0], block)  # different pairs in each block
        keys[:, 1] = words[:, 1]
        keys[:, 2] = VOCABULARY + (np.arange(BLOCK) + block * BLOCK) % (N_KEYS - VOCABULARY)
        margins = truth[keys[:, :2]].sum(axis=1)
        labels = chance < 1 / (1 + np.exp(-margins))
        rows = csr_matrix((values, keys.ravel(), starts), shape=(BLOCK, N_KEYS))
        began = time.process_time()
        model.learn_many(rows, labels)
        spent += time.process_time() - began
        if (block + 1) % tenth == 0:
            first_memory = first_memory or resident()
            nanoseconds.append(spent / (tenth * BLOCK) * 1e9)
            line = f"{(block + 1) * BLOCK:>13,} rows {nanoseconds[-1]:7.1f} ns a row {model.nbytes:,} bytes of a model"
            print(f"{line}, {resident() / 2**20:.1f} MiB, error {model.error_rate_:.4f}", flush=True)
            spent = 0.0
    assert model.n_seen_ == n_blocks * BLOCK
    assert model.nbytes <= 8192
    assert resident() <= first_memory + (4 << 20), "memory grows"


if __name__ == "__main__":
    main()
