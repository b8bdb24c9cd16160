"""Batch logistic regression of scikit-learn on the same rows: categories one-hot encoded, numbers scaled."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from experiments.first_try.tables import Table


def split(table: Table, label: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a random half of the rows that have a label, and the other half, with cells as text."""
    rows = table.words[table.words[label].notna()]
    order = np.random.default_rng(0).permutation(len(rows))
    half = len(rows) // 2
    return rows.iloc[order[:half]], rows.iloc[order[half:]]


def error_of_batch(learned: pd.DataFrame, held: pd.DataFrame, label: str) -> float:
    """Return the error on the held-out rows. Columns of words with a value of their own in most rows are left out."""
    numbers, words = [], []
    for name in learned.columns:
        known = learned[name].dropna()
        if name == label or not len(known):
            continue
        both = pd.concat([known, held[name].dropna()])
        if pd.to_numeric(both, errors="coerce").notna().all():
            numbers.append(name)
        elif known.nunique() < 0.5 * len(known):
            words.append(name)
    if not numbers and not words:
        commonest: Any = learned[label].value_counts().index[0]
        return float((held[label] != commonest).mean())
    scaled = make_pipeline(SimpleImputer(), StandardScaler())
    encoded = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="(none)"), OneHotEncoder(handle_unknown="ignore")
    )
    columns = ColumnTransformer([("numbers", scaled, numbers), ("words", encoded, words)])
    model = make_pipeline(columns, LogisticRegression(max_iter=500))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(_read(learned, numbers, words), learned[label])
        return float((model.predict(_read(held, numbers, words)) != held[label]).mean())


def error_on_own_rows(table: Table, label: str) -> float:
    """Return the error of batch on the rows that it learned."""
    rows = table.words[table.words[label].notna()]
    return error_of_batch(rows, rows, label)


def _read(rows: pd.DataFrame, numbers: list[str], words: list[str]) -> pd.DataFrame:
    found = rows[[*numbers, *words]].copy()
    for name in numbers:
        found[name] = pd.to_numeric(found[name]).astype(float).replace([np.inf, -np.inf], np.nan)
    return found.astype(dict.fromkeys(words, object)).where(lambda frame: frame.notna(), np.nan)
