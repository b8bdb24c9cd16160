"""Which columns of a DataFrame are read, and what their rows are: a table, vectors, or maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pyspark.ml.linalg import VectorUDT
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import MapType, StringType, StructType

from wmsketch.readers import Schema

Kind = Literal["table", "rows", "vectors", "maps"]  # rows: dicts, for tables that contain maps


@dataclass(frozen=True)
class Columns:
    """The columns to read: ``features``, and one column for each role, or "" if there is none."""

    kind: Kind
    features: list[str]
    label: str = ""
    weight: str = ""
    time: str = ""
    text_labels: bool = False

    @property
    def roles(self) -> list[str]:
        """The columns that are never features."""
        return [name for name in (self.label, self.weight, self.time) if name]

    def select(self, df: DataFrame) -> DataFrame:
        """Return the frame with only these columns."""
        return df.select(*(column(name) for name in dict.fromkeys([*self.roles, *self.features])))


def column(name: str) -> Any:
    """Return the column with exactly this name, including dots."""
    return F.col("`" + name.replace("`", "``") + "`")


def require(df_schema: StructType, param: str, names: list[str]) -> None:
    """Raise an error that names the Param if a column does not exist."""
    for name in names:
        if name not in df_schema.names:
            raise ValueError(f"{param}: there is no column {name!r}; the columns are {', '.join(df_schema.names)}")


def columns_of(
    df_schema: StructType,
    rules: Schema,
    *,
    label: str = "",
    weight: str = "",
    features_col: str | None = None,
    feature_cols: list[str] | None = None,
) -> Columns:
    """Return the columns to read of a frame with this schema; an error names the Param."""
    require(df_schema, "labelCol", [label] if label else [])
    require(df_schema, "weightCol", [weight] if weight else [])
    require(df_schema, "schema", [rules.time] if rules.time else [])
    if features_col is not None and feature_cols is not None:
        raise ValueError("featuresCol and featureCols cannot be combined: set a column of vectors or maps, or columns")
    roles = {label, weight, rules.time}
    if features_col is not None:
        names = [features_col]
        require(df_schema, "featuresCol", names)
    elif feature_cols is not None:
        names = list(feature_cols)
        require(df_schema, "featureCols", names)
    else:
        names = [name for name in df_schema.names if name not in roles and _is_wanted(name, rules)]
    if not names:
        raise ValueError("featureCols: there is no column to learn from")
    if taken := [name for name in names if name in roles]:
        raise ValueError(f"featureCols: {taken[0]!r} is the label, the weight or the time of a row, not a feature")
    kind = _kind(df_schema, names, alone=features_col is not None)
    text_labels = bool(label) and isinstance(df_schema[label].dataType, StringType)
    return Columns(kind, names, label, weight, rules.time, text_labels)


def _is_wanted(name: str, rules: Schema) -> bool:
    """Return whether a rule of the schema names the column, or a part of it."""
    inside = [each for pair in rules.pairs() for each in pair]
    taken = [*rules.features, *inside] if rules.features else []
    return name not in rules.ignore and (not taken or any((each + ".").startswith(name + ".") for each in taken))


def _kind(df_schema: StructType, names: list[str], *, alone: bool) -> Kind:
    types = {name: df_schema[name].dataType for name in names}
    vectors = [name for name, kind in types.items() if isinstance(kind, VectorUDT)]
    if vectors and len(names) > 1:
        raise ValueError(f"featureCols: {vectors[0]!r} is a column of vectors: set featuresCol={vectors[0]!r} alone")
    if vectors:
        return "vectors"
    has_maps = any(isinstance(kind, MapType) for kind in types.values())
    return "table" if not has_maps else "maps" if alone else "rows"
