"""What should fade with a half-life: the weights, the squared gradients that set step sizes, or both?

    python -m experiments.what_to_forget

A slow learner without a memory limit: one float64 weight for every feature of the streams of experiments.forgetting,
seed 0, 15,000 rows. The result is written to experiments/results/what_to_forget.json.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from experiments.datasets import load
from experiments.forgetting import Stream, rotating
from wmsketch.evaluation.provenance import provenance

ROWS = 15_000
HALF_LIVES = [1_000, 10_000]
NEVER = math.inf
FADING: dict[str, Callable[[float], tuple[float, float]]] = {  # half-lives of weights and of squared gradients
    "weights": lambda half_life: (half_life, NEVER),
    "evidence": lambda half_life: (NEVER, half_life),
    "both": lambda half_life: (half_life, half_life),
    "both, evidence in 1,000": lambda half_life: (half_life, min(half_life, 1_000)),
}


def online_error(stream: Stream, adaptive: bool, half_lives: tuple[float, float]) -> tuple[float, float]:
    """Return online error and log loss of plain steps, or of AdaGrad with the plain rate as a minimum."""
    X, y = stream
    of_weights, of_evidence = (0.5 ** (1 / half_life) for half_life in half_lives)
    eta0, l2, bias = 0.1, 1e-6, 0.0
    weights, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    scale = squares_scale = 1.0  # both are lazy and never folded: float64 suffices for this half_life and ROWS
    examples = features = of_all = of_bias = 0.0
    mistakes, loss = 0, 0.0
    for first, last, label in zip(X.indptr, X.indptr[1:], np.where(y, 1, -1), strict=False):
        keys, values = X.indices[first:last], X.data[first:last].astype(np.float64)
        tau = float(label * (scale * (weights[keys] @ values) + bias))
        mistakes += (tau < 0) if label > 0 else (tau <= 0)
        loss += max(-tau, 0.0) + math.log1p(math.exp(-abs(tau)))
        gradient = -label / (1 + math.exp(min(tau, 700.0)))
        rate = eta0 / (1 + eta0 * l2 * examples)
        examples, features = examples * of_evidence + 1, features * of_evidence + len(keys)
        scale *= (1 - rate * l2) * of_weights
        steps, of_this_bias = np.full(len(keys), rate), rate
        if adaptive:
            squares_scale *= of_evidence
            of_all = of_all * of_evidence + gradient**2 * float(values @ values)
            of_bias = of_bias * of_evidence + gradient**2
            squares[keys] += (gradient * values) ** 2 / squares_scale
            prior = 10 * of_all / max(features, 1.0) + 1e-12
            steps = np.maximum(rate, 5 * eta0 / np.sqrt(squares_scale * squares[keys] + prior))
            of_this_bias = max(rate, 5 * eta0 / math.sqrt(of_bias * (1 + 10 / examples) + 1e-12))
        weights[keys] -= steps * gradient * values / scale
        bias -= of_this_bias * gradient
        if min(scale, squares_scale) < 1e-30:
            weights, squares, scale, squares_scale = weights * scale, squares * squares_scale, 1.0, 1.0
    return mistakes / len(y), loss / len(y)


def streams() -> dict[str, Stream]:
    found = {
        "new weights every 5,000 rows": rotating(0, 5_000, n=ROWS),
        "the same weights": rotating(0, ROWS, n=ROWS),
    }
    for name in ("assist2009", "spending2015", "reuters"):
        table = load(name)
        found[name] = table.X[:ROWS], table.y[:ROWS]
    return found


def main() -> None:
    rows = []
    for name, stream in streams().items():
        for step in ("plain", "adaptive"):
            never = online_error(stream, step == "adaptive", (NEVER, NEVER))
            for fading, half_lives in FADING.items():
                runs = [online_error(stream, step == "adaptive", half_lives(half_life)) for half_life in HALF_LIVES]
                rows.append({"stream": name, "step": step, "fades": fading, "nothing": never, "error_and_loss": runs})
                cells = " | ".join(f"{error:.4f} / {loss:.3f}" for error, loss in [never, *runs])
                print(f"| {name} | {step} | {fading} | {cells} |", flush=True)
    report = {**provenance(), "seeds": [0], "rows_each": ROWS, "half_lives": HALF_LIVES, "rows": rows}
    path = Path(__file__).parent / "results" / "what_to_forget.json"
    path.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
