"""Columns whose values hardly ever repeat are reported: running text, times, identifiers."""

import json
import warnings

import pandas as pd
import pytest

from wmsketch import AWMSketch, Schema

REVIEWS = [f"the order number {i} came {'late and broken' if i % 2 else 'early and whole'}" for i in range(200)]


def test_train_tells_of_text(run, tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_text("review,bad\n" + "".join(f"{text},{i % 2}\n" for i, text in enumerate(REVIEWS)))
    result = run("train", path, "--label", "bad")
    assert result.exit_code == 0
    assert "note: the column 'review' looks like running text (--text review reads it word by word)" in result.stderr
    result = run("train", path, "--label", "bad", "--text", "review", "--holdout", "50")
    assert "running text" not in result.stderr and "held out 50 rows: error 0.00%" in result.stdout


def test_a_frame_warns_of_text():
    frame, labels = pd.DataFrame({"review": REVIEWS}), [i % 2 for i in range(200)]
    with pytest.warns(UserWarning, match=r"'review' looks like running text \(schema=Schema\(text=\['review'\]\)"):
        AWMSketch("8KiB").fit(frame, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = AWMSketch("8KiB", schema=Schema(text=["review"])).fit(frame, labels)
    assert model.score(frame, labels) == 1.0


def test_train_leaves_out_identifiers_and_takes_times_apart(run, tmp_path):
    times = pd.date_range("2024-01-01", periods=300, freq="7min")
    frame = pd.DataFrame({"when": times, "order": [f"o-{i}" for i in range(300)], "shop": list("abc") * 100})
    labels = [i % 3 == 0 for i in range(300)]
    frame.assign(late=labels).to_csv(tmp_path / "orders.csv", index=False)
    result = run("train", tmp_path / "orders.csv", "--label", "late")
    assert "the column 'when' has times like '2024-01-01 00:00:00': their hour, weekday" in result.stderr
    assert "the column 'when.month' has the same value in all rows, so it is left out" in result.stderr
    assert "so it is left out (--categorical order uses it)" in result.stderr and "'shop'" not in result.stderr
    result = run("train", tmp_path / "orders.csv", "--label", "late", "--ignore", "when,order")
    assert "a different value" not in result.stderr
    with pytest.warns(UserWarning, match="a different value in nearly every row") as told:
        AWMSketch("8KiB").fit(frame, labels)
    assert len(told) == 1


def test_many_categories_are_no_identifiers(run, tmp_path):
    rows = "".join(f"user{i * 7919 % 400},{i % 2}\n" for i in range(2000))
    (tmp_path / "users.csv").write_text("user,late\n" + rows)
    assert "note: the column" not in run("train", tmp_path / "users.csv", "--label", "late").stderr


def _notes(run, path, *options):
    return [line for line in run("train", path, "--label", "late", *options).stderr.splitlines() if "note" in line]


@pytest.mark.parametrize("odd, place", [("-", 3), ("inf", 0), ("n/k", 250)])
def test_one_word_among_numbers_is_told_of_wherever_it_stands(run, tmp_path, odd, place):
    values = [f"{i * 37 % 100}.5" for i in range(300)]
    values[place] = odd
    path = tmp_path / "orders.csv"
    path.write_text("ms,late\n" + "".join(f"{value},{i % 2}\n" for i, value in enumerate(values)))
    [note] = _notes(run, path)
    assert f"the column 'ms' has 1 value that is not a number, like '{odd}' in row {place + 1}; each is a categ" in note
    assert "--categorical ms reads the column as text" in note
    assert _notes(run, path, "--na", odd) == []


def test_a_word_for_what_is_not_known_may_be_frequent(run, tmp_path):
    path = tmp_path / "orders.csv"
    path.write_text("ms,late\n" + "".join(f"{'?' if i % 3 == 0 else i * 37 % 100},{i % 2}\n" for i in range(300)))
    [note] = _notes(run, path)
    assert (
        "the column 'ms' has 100 values that are not numbers, like '?' in row 1; each is a category of its own" in note
    )
    assert "(--na '?' reads it as missing" in note
    path.write_text("size,late\n" + "".join(f"{'SML'[i % 3]},{i % 2}\n" for i in range(300)))
    assert _notes(run, path) == []


@pytest.mark.parametrize("form", ["${}.25", "{}.5%", "{} €", "€ {}"])
def test_numbers_with_a_sign_are_told_of(run, tmp_path, form):
    path = tmp_path / "orders.jsonl"
    rows = ({"price": form.format(i * 37 % 100), "late": i % 2} for i in range(300))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [note] = _notes(run, path)
    assert "the column 'price' has amounts like" in note and "--categorical price reads the column as text" in note


def test_numbers_that_json_has_as_texts_are_told_of(run, tmp_path):
    path = tmp_path / "orders.jsonl"
    path.write_text(
        "".join(f'{{"ms": "{i * 37 % 100}.5", "zip": "{i % 90 + 10000}", "late": {i % 2}}}\n' for i in range(300))
    )
    [note] = _notes(run, path)
    assert "the column 'ms' has amounts like '0.5', which are read as numbers (--categorical ms" in note
    assert _notes(run, path, "--ignore", "ms") == []


def test_a_column_that_counts_the_rows_is_told_of(run, tmp_path):
    frame = pd.DataFrame({"shop": list("abc") * 100, "late": [0, 1, 1] * 100})
    frame.to_csv(tmp_path / "orders.csv")  # with its index, as pandas does
    [note] = _notes(run, tmp_path / "orders.csv")
    assert "the column 'column1' numbers the rows, so it is left out (--numeric column1 uses it)" in note
    assert _notes(run, tmp_path / "orders.csv", "--ignore", "column1") == []
    used = run("train", tmp_path / "orders.csv", "--label", "late", "--numeric", "column1", "--json").stdout
    assert "column1" in {row["feature"] for row in json.loads(used)["top"]}
    with pytest.warns(UserWarning, match=r"'id' grows with every row.*Schema\(ignore=\['id'\]\)"):
        AWMSketch("8KiB").fit(frame[["shop"]].assign(id=range(300)), frame.late)


def test_numbers_that_come_late_in_json_are_told_of(run, tmp_path):
    path = tmp_path / "orders.jsonl"
    rows = [
        f'{{"ms": {i * 37 % 100}, "late": {i % 2}{"" if i < 50 else f", {chr(34)}income{chr(34)}: {i * 997 % 9000}"}}}'
        for i in range(300)
    ]
    path.write_text("\n".join(rows))
    [note] = _notes(run, path)
    assert "the column 'income' is missing in the first rows" in note
    assert "--numeric income scales them too" in note
    assert _notes(run, path, "--numeric", "income") == []


def test_a_number_that_is_always_the_same_needs_no_larger_budget(run, tmp_path):
    path = tmp_path / "orders.csv"
    path.write_text(
        "ms,shop,same,late\n" + "".join(f"{i * 37 % 100},{'ab'[i % 2]},7,{i // 2 % 2}\n" for i in range(300))
    )
    assert "all 3 features have their own weight" in run("train", path, "--label", "late").stdout


def _told(run, folder, column, values, *options):
    path = folder / "a.csv"
    path.write_text(f"{column},late\n" + "".join(f"{value},{i % 2}\n" for i, value in enumerate(values)))
    return [line for line in run("train", path, "--label", "late", *options).stderr.splitlines() if "note" in line]


CODES = [
    ("answer", [(200, 404, 500)[i * i % 3] for i in range(299)] + [500]),
    ("month", [i * 7 % 12 + 1 for i in range(300)]),
    ("store_id", [i * 37 % 91 for i in range(300)]),
    ("storeId", [i * 37 % 91 for i in range(300)]),
]


@pytest.mark.parametrize("column, values", CODES, ids=[column for column, _ in CODES])
def test_whole_numbers_that_look_like_codes_are_told_of(run, tmp_path, column, values):
    ways = f"--categorical {column} if they are codes, --numeric {column} if not"
    words = f"note: the column '{column}' is read as numbers ({ways})"
    assert [note == words for note in _told(run, tmp_path, column, values)] == [True]
    for rule in ("--categorical", "--numeric"):
        assert _told(run, tmp_path, column, values, rule, column) == []
    frame, labels = pd.DataFrame({column: values}), [i % 2 for i in range(300)]
    with pytest.warns(UserWarning, match=rf"'{column}' is read as numbers \(schema=Schema"):
        AWMSketch("8KiB").fit(frame, labels)
    AWMSketch("8KiB", schema=Schema(numeric=[column])).fit(frame, labels)


MEASURED = [
    ("rating", [i * 7 % 5 + 1 for i in range(300)]),
    ("paid", [i * 7 % 50 for i in range(300)]),
    ("hours", [i * 7 % 24 for i in range(300)]),
    ("price", [(199, 299, 399, 499)[i * 7 % 4] for i in range(300)]),
    ("watt", [(120, 200, 250, 500)[i * 7 % 4] for i in range(300)]),
    ("age", [i * 37 % 80 for i in range(300)]),
    ("amount", [100 + i * 7919 % 900 for i in range(300)]),
    ("status", [i * 7 % 3 % 2 for i in range(300)]),
    ("month", [i * 7 % 12 + 0.5 for i in range(300)]),
    ("balance_code_points", [-i * 7 % 12 for i in range(300)]),
]


@pytest.mark.parametrize("column, values", MEASURED, ids=[column for column, _ in MEASURED])
def test_measurements_are_not_told_of(run, tmp_path, column, values):
    assert _told(run, tmp_path, column, values) == []


def test_running_numbers_are_told_of_however_large_they_are(run, tmp_path):
    for start in (0, 1_700_000_000, 1_700_000_000_123):
        (note,) = _told(run, tmp_path, "at", [start + i for i in range(300)])
        assert "the column 'at' numbers the rows, so it is left out (--numeric at uses it)" in note


def test_numbers_too_small_to_be_told_apart_are_told_of(run, tmp_path):
    (note,) = _told(run, tmp_path, "x", [f"{i % 7}e-200" for i in range(300)])
    assert note.endswith("numbers below 1e-150, which are too small to be distinguished (multiply them first)")
    assert _told(run, tmp_path, "x", [f"{i % 7}e-100" for i in range(300)]) == []
    assert _told(run, tmp_path, "p", [f"{i * 7 % 9}e-{i * 7 % 300}" for i in range(300)]) == []


def test_columns_that_restate_the_label_are_told_of(run, tmp_path):
    path = tmp_path / "flights.csv"
    rows = (f"{i * 37 % 91 - 20},{int(i * 37 % 91 >= 35)},{i % 7},{'AB'[i % 2]}\n" for i in range(300))
    path.write_text("minutes,late,day,carrier\n" + "".join(rows))
    [note] = _notes(run, path)
    assert "the column 'minutes' tells the label of every row looked at" in note and "--ignore minutes" in note
    assert _notes(run, path, "--ignore", "minutes") == []


def test_a_note_that_holds_for_many_columns_is_one_note(run, tmp_path):
    path = tmp_path / "shops.csv"
    rows = (f"{i % 90:05},{i % 80:05},{i % 70:05},{i % 2}\n" for i in range(300))
    path.write_text("a,b,c,late\n" + "".join(rows))
    [note] = _notes(run, path)
    assert "the column 'a' is read as text: it has codes like '00000'" in note
    assert note.endswith("the same holds for 'b', 'c'")
