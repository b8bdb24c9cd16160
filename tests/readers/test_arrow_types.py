"""Every supported Arrow type, with offsets, nulls and dictionaries."""

import datetime
import decimal

import polars as pl
import pyarrow as pa
import pytest

from tests.readers.rows import all_rows, rows_of
from wmsketch import _core
from wmsketch.readers import BadInput, open_examples

WHOLE = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()]


def features(column, **options):
    """The features of each row of a column c, which must not change if it is a slice of a longer column."""
    table = pa.table({"c": column})
    rows = [row.features for row in all_rows(open_examples(table, **options))]
    longer = pa.concat_tables([table, table, table]).combine_chunks().slice(len(table), len(table))
    assert [row.features for row in all_rows(open_examples(longer, **options))] == rows
    return rows


@pytest.mark.parametrize("kind", WHOLE + FLOATS, ids=str)
def test_numbers(kind):
    column = pa.array([1, None, 100], pa.int32()).cast(kind)
    assert features(column) == [[("c", 1.0)], [], [("c", 100.0)]]
    assert features(column, categorical=["c"]) == [[("c=1", 1.0)], [], [("c=100", 1.0)]]


def test_nan_is_missing_as_in_csv():
    column = pa.array([1.5, float("nan")])
    assert features(column) == [[("c", 1.5)], []]
    assert features(column, categorical=["c"]) == [[("c=1.5", 1.0)], []]
    with pytest.raises(BadInput, match=r'row 2: expected a label in column "c", found none'):
        all_rows(open_examples(pa.table({"c": pa.array([1.0, float("nan")])}), label="c"))


def test_numbers_as_categories_are_written_as_they_are():
    assert features(pa.array([0.1], pa.float32()), categorical=["c"]) == [[("c=0.1", 1.0)]]
    assert features(pa.array([2**64 - 1], pa.uint64()), categorical=["c"]) == [[("c=18446744073709551615", 1.0)]]
    assert features(pa.array([-5], pa.int8()), categorical=["c"]) == [[("c=-5", 1.0)]]


@pytest.mark.parametrize("values", [[0.0, -1.5, 6.1e-5, 6e-8, 65504.0]])
def test_half_floats(values):
    column = pa.array(values, pa.float16())
    assert features(column) == [[("c", value.as_py())] for value in column]


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_texts(kind):
    words = ["a", None, "", "exactly12byt", "a text of more than twelve bytes", "é"]
    expected = [[(f"c={word}", 1.0)] if word else [] for word in words]
    assert features(pa.array(words).cast(kind)) == expected


@pytest.mark.parametrize("index", WHOLE, ids=str)
def test_dictionaries(index):
    column = pa.DictionaryArray.from_arrays(pa.array([1, 0, None, 1], index), pa.array(["x", "y"]))
    assert features(column) == [[("c=y", 1.0)], [("c=x", 1.0)], [], [("c=y", 1.0)]]


def test_booleans_and_nulls():
    assert features(pa.array([True, None, False] * 7)) == [[("c=true", 1.0)], [], [("c=false", 1.0)]] * 7
    assert features(pa.array([True, False]), numeric=["c"]) == [[("c", 1.0)], [("c", 0.0)]]
    assert features(pa.nulls(3)) == [[], [], []]


def test_dates_times_and_decimals():
    days = [datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)]
    expected = [[("c=2024-02-29", 1.0)], [("c=1969-12-31", 1.0)]]
    words = {"categorical": ["c"]}
    assert features(pa.array(days, pa.date32()), **words) == features(pa.array(days, pa.date64()), **words) == expected
    moment = datetime.datetime(2024, 2, 29, 12, 30, 5, 250_000)
    assert features(pa.array([moment], pa.timestamp("ms")), **words) == [[("c=2024-02-29 12:30:05.25", 1.0)]]
    whole = pa.array([moment.replace(microsecond=0)], pa.timestamp("ns"))
    assert features(whole, **words) == [[("c=2024-02-29 12:30:05", 1.0)]]
    assert features(whole) == [[("c.hour=12", 1.0), ("c.weekday=Thu", 1.0), ("c.month=Feb", 1.0)]]
    prices = [decimal.Decimal("-12.25"), decimal.Decimal("0.50")]
    assert features(pa.array(prices, pa.decimal128(10, 2))) == [[("c", -12.25)], [("c", 0.5)]]


def test_structures_and_lists():
    column = pa.array([{"a": 1, "b": ["x", "y"]}, None, {"a": None, "b": [None, "z"]}])
    expected = [[("c.a", 1.0), ("c.b=x", 1.0), ("c.b=y", 1.0)], [], [("c.b=z", 1.0)]]
    assert features(column) == expected
    assert features(pa.array([[1.0, 2.0]], pa.list_(pa.float32(), 2))) == [[("c.0", 1.0), ("c.1", 2.0)]]
    assert features(pa.array([["x", "y"]], pa.large_list(pa.string())), categorical=["c"]) == [
        [("c=x", 1.0), ("c=y", 1.0)]
    ]
    nested = pa.array([[[1], [2, 3]], [[{"d": 4}["d"]]]])
    assert features(nested) == [[("c.0=1", 1.0), ("c.1=2", 1.0), ("c.1=3", 1.0)], [("c.0=4", 1.0)]]
    inner = pa.array([[{"k": "v", "l": [1]}]])
    assert features(inner) == [[("c.0.k=v", 1.0), ("c.0.l=1", 1.0)]]


def test_durations_are_numbers_of_seconds():
    for unit, count in (("s", 90), ("ms", 90_000), ("us", 90_000_000), ("ns", 90_000_000_000)):
        table = pa.table({"t": pa.array([count, None, -count // 2], pa.duration(unit))})
        assert [row.features for row in all_rows(open_examples(table))] == [[("t", 90.0)], [], [("t", -45.0)]]


def test_other_types_are_refused_unless_ignored():
    table = pa.table({"x": [1, 2], "t": pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval())})
    with pytest.raises(
        BadInput, match=r'row 1: column "t" has the Arrow type tin, which cannot become a feature: ignore it'
    ):
        list(open_examples(table))
    assert [row.features for row in all_rows(open_examples(table, ignore=["t"]))] == [[("x", 1.0)], [("x", 2.0)]]


def test_polars_strings_and_categories():
    frame = pl.DataFrame({"s": ["a", "a text of more than twelve bytes", None]}).with_columns(
        k=pl.Series(["p", "q", "p"], dtype=pl.Categorical)
    )
    names = [[name for name, _ in row.features] for row in all_rows(open_examples(frame))]
    assert names == [["s=a", "k=p"], ["s=a text of more than twelve bytes", "k=q"], ["k=p"]]


def test_a_large_batch_comes_in_blocks():
    blocks = list(open_examples(pa.table({"x": range(50_000)})))
    assert max(len(block) for block in blocks) < 10_000
    assert sum(len(block) for block in blocks) == 50_000


def test_only_streams_of_batches_are_taken():
    encoder = _core.RowEncoder()
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        _core.ArrowRows(encoder, pa.array([1]).__arrow_c_array__()[1])
    with pytest.raises(ValueError, match="found a stream of single arrays"):
        _core.ArrowRows(encoder, pa.chunked_array([[1, 2]]).__arrow_c_stream__())


def test_names_outlive_the_batch():
    rows = _core.ArrowRows(
        _core.RowEncoder(), pa.table({"s": ["a long enough value to live on the heap"]}).__arrow_c_stream__()
    )
    block = rows.next()
    del rows
    assert rows_of(block)[0].features == [("s=a long enough value to live on the heap", 1.0)]


def test_the_earliest_time_that_fits():
    table = pa.table({"t": pa.array([-(2**63) + 1, 2**63 - 1], type=pa.timestamp("ns"))})
    names = [row.features[0][0] for row in all_rows(open_examples(table, categorical=["t"]))]
    assert names == ["t=1677-09-21 00:12:43.145224193", "t=2262-04-11 23:47:16.854775807"]
    with pytest.raises(ValueError, match="more than 30,000 years from 1970"):
        list(open_examples(pa.table({"t": pa.array([-(2**63) + 1], type=pa.timestamp("us"))})))


def test_a_dictionary_of_structures_has_the_columns_of_its_parts():
    ranges = pa.array([{"low": 1.0, "high": 2.0}, {"low": 2.0, "high": None}])
    spans = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0]), ranges)
    rows = all_rows(open_examples(pa.table({"first": [7.0] * 4, "span": spans})))
    assert [row.features for row in rows] == [
        [("first", 7.0), ("span.low", 1.0), ("span.high", 2.0)],
        [("first", 7.0), ("span.low", 2.0)],
        [("first", 7.0)],
        [("first", 7.0), ("span.low", 1.0), ("span.high", 2.0)],
    ]


def test_a_number_among_truth_values_is_named():
    with open_examples(pa.table({"c": [3]}), column_kinds={"c": "boolean"}, require_labels=False) as examples:
        assert [row.features for row in all_rows(examples)] == [[("c=3", 1.0)]]
    assert [str(note.told(known=())) for note in examples.doubts] == [
        "the column 'c' has 1 value that is not true or false, like '3' in row 1; each is a category of its own"
    ]
