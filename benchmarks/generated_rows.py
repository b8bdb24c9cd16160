"""Generated rows that resemble text: a few frequent features and a long tail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix


@dataclass(frozen=True)
class Block:
    """Some rows of a stream and their labels."""

    X: csr_matrix
    y: NDArray[np.bool_]


def zipf_blocks(n_blocks: int, rows: int, per_row: int, n_features: int, seed: int = 0) -> list[Block]:
    """Return blocks of rows of at most `per_row` features: sorted ids, length one, labels from a noisy linear rule.

    The id of rank r has a frequency of about 1/r. Ranks are scattered over the ids, like hashed or alphabetical ids. So
    the frequent weights of a dense array are spread over memory, as in practice.

    >>> block = zipf_blocks(1, rows=100, per_row=20, n_features=1000)[0]
    >>> block.X.shape, 15 < block.X.nnz / 100 < 20
    ((100, 1000), True)
    """
    rng = np.random.default_rng(seed)
    id_of_rank = rng.permutation(n_features).astype(np.int32)
    true_weights = rng.standard_normal(n_features, np.float32)
    return [one_block(rng, id_of_rank, true_weights, rows, per_row) for _ in range(n_blocks)]


def one_block(
    rng: np.random.Generator,
    id_of_rank: NDArray[np.int32],
    true_weights: NDArray[np.float32],
    rows: int,
    per_row: int,
) -> Block:
    n_features = len(id_of_rank)
    ranks = (n_features ** rng.random((rows, per_row))).astype(np.int32) - 1  # log-uniform: density 1/r
    ids = np.sort(id_of_rank[ranks], axis=1)
    first = np.ones(ids.shape, np.bool_)
    first[:, 1:] = ids[:, 1:] != ids[:, :-1]
    counts = first.sum(axis=1)
    indices = ids[first]
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    values = np.repeat(1 / np.sqrt(counts), counts).astype(np.float32)
    X = csr_matrix((values, indices, indptr), shape=(rows, n_features))
    margins = X @ true_weights + rng.normal(0, 0.3, rows)
    return Block(X, margins > 0)
