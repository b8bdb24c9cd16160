"""Which columns of a DataFrame are read, and what their rows are: a table, vectors, or maps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pyspark.ml.linalg import VectorUDT
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import MapType, StringType, StructType

from wmsketch.readers import Schema

Kind = Literal["table", "rows", "vectors", "maps"]  # rows: dicts, for tables that contain maps
_SHORT = 256  # slots with names in a vector that is read as a table


@dataclass(frozen=True)
class Columns:
    """The columns to read: ``features``, and one column for each role, or "" if there is none."""

    kind: Kind
    features: list[str]
    label: str = ""
    weight: str = ""
    time: str = ""
    text_labels: bool = False
    slots: list[str] = field(default_factory=list)  # the names in a vector, if its metadata has them

    @property
    def is_table(self) -> bool:
        """Whether rows have columns with names: those of the frame, or the slots of a short vector."""
        return self.kind == "table" or 0 < len(self.slots) <= _SHORT

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


def require(df_schema: StructType, param: str, names: list[str]) -> list[str]:
    """Return the names as the frame spells them; raise an error that names the Param if a column does not exist.

    As in Spark, capital letters do not matter unless two columns differ by them alone.

    >>> require(StructType().add("Minutes", "double"), "labelCol", ["minutes"])
    ['Minutes']
    """
    return [_spelled(df_schema.names, param, name) for name in names]


def _spelled(known: list[str], param: str, name: str) -> str:
    alike = [name] if name in known else [each for each in known if each.casefold() == name.casefold()]
    if len(alike) > 1:
        raise ValueError(f"{param}: {name!r} may be any of the columns {', '.join(alike)}")
    if not alike:
        raise ValueError(f"{param}: there is no column {name!r}; the columns are {', '.join(known)}")
    return alike[0]


def slots_of(df_schema: StructType, name: str, roles: list[str]) -> list[str]:
    """Return the names in a vector, by the metadata of VectorAssembler; nothing unless each slot has its own name."""
    described = df_schema[name].metadata.get("ml_attr", {})
    slots = {each["idx"]: each.get("name") for kind in described.get("attrs", {}).values() for each in kind}
    names = [slots.get(i) for i in range(described.get("num_attrs", len(slots)))]
    known = [each for each in names if each and each not in roles]
    return known if len(set(known)) == len(names) else []


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
    require(df_schema, "schema", [rules.time] if rules.time else [])
    if features_col is not None and feature_cols is not None:
        raise ValueError("featuresCol and featureCols cannot be combined: set a column of vectors or maps, or columns")
    roles = {label, weight, rules.time}
    if features_col is not None:
        names = require(df_schema, "featuresCol", [features_col])
    elif feature_cols is not None:
        names = require(df_schema, "featureCols", feature_cols)
    else:
        names = [name for name in df_schema.names if name not in roles and _is_wanted(name, rules)]
    if not names:
        raise ValueError("featureCols: there is no column to learn from")
    if taken := [name for name in names if name in roles]:
        raise ValueError(f"featureCols: {taken[0]!r} is the label, the weight or the time of a row, not a feature")
    kind = _kind(df_schema, names, alone=features_col is not None)
    text_labels = bool(label) and isinstance(df_schema[label].dataType, StringType)
    columns = Columns(kind, names, label, weight, rules.time, text_labels)
    return replace(columns, slots=slots_of(df_schema, names[0], columns.roles)) if kind == "vectors" else columns


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
