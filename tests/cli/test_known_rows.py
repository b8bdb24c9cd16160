"""What a model remembers of its training rows: how columns were read, and how labels are written."""

import json

import pytest

from wmsketch import AWMSketch, load

ONCE = ("--shuffle", 0, "--passes", 1)  # as a stream
SHOP = [("07", "yes"), ("12", "no"), ("N7", "yes"), ("12", "no")]


@pytest.fixture
def shop(run, tmp_path):
    """A model that read zip codes as categories, because one of them is not a number."""
    (tmp_path / "shop.csv").write_text("zip,sold\n" + "".join(f"{code},{sold}\n" for code, sold in SHOP * 50))
    path = tmp_path / "shop.wms"
    result = run("train", tmp_path / "shop.csv", "--label", "sold", "--positive", "yes", "--save", path)
    assert result.exit_code == 0, result.stderr
    return path


@pytest.fixture
def prices(run, tmp_path):
    """A model that read prices as numbers."""
    (tmp_path / "prices.csv").write_text("price,sold\n" + "1,1\n2,0\n" * 50)
    run("train", tmp_path / "prices.csv", "--label", "sold", "--save", tmp_path / "prices.wms")
    return tmp_path / "prices.wms"


def test_predictions_read_columns_as_in_training(run, shop, tmp_path):
    (tmp_path / "new.csv").write_text("zip\n07\n12\n")  # looks like numbers
    result = run("predict", tmp_path / "new.csv", "--model", shop, "--why", 1, "--json")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["why"][0]["feature"] for record in records] == ["zip=07", "zip=12"]
    assert [record["label"] for record in records] == ["yes", "no"]


def test_csv_is_read_as_the_json_that_was_learned(run, tmp_path):
    rows = [{"zip": code, "sold": sold == "yes"} for code, sold in (("07", "yes"), ("12", "no"))]
    (tmp_path / "shop.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows * 50))
    model = tmp_path / "m.wms"
    assert run("train", tmp_path / "shop.jsonl", "--label", "sold", "--save", model).exit_code == 0
    (tmp_path / "new.csv").write_text("zip\n07\n12\n")  # looks like numbers
    records = run("predict", tmp_path / "new.csv", "--model", model, "--why", 1, "--json").stdout.splitlines()
    assert [json.loads(record)["why"][0]["feature"] for record in records] == ["zip=07", "zip=12"]
    assert "zip  text" in run("inspect", model).stdout
    (tmp_path / "numbers.csv").write_text("zip,sold\n" + "7,1\n12,0\n" * 20)
    run("train", tmp_path / "numbers.csv", "--label", "sold", "--save", tmp_path / "n.wms")
    result = run("merge", model, tmp_path / "n.wms", "--output", tmp_path / "both.wms")
    assert result.exit_code == 1 and "one model took the column 'zip' as text, the other as number" in result.stderr


def test_resume_lets_values_of_json_be_what_they_are(run, tmp_path):
    rows = ['{"code": 5, "sold": true}', '{"code": 7, "sold": false}'] * 20
    later = ['{"code": "late", "sold": true}', '{"code": true, "sold": false}']
    file, save, whole = tmp_path / "a.jsonl", tmp_path / "m.wms", tmp_path / "whole.wms"
    file.write_text("\n".join([*rows, "{" + " " * len("\n".join(later)), ""]))
    assert run("train", file, "--label", "sold", *ONCE, "--save", save, "--bad-rows", "stop").exit_code == 1
    file.write_text("\n".join([*rows, *later, "", ""]))
    assert run("train", file, "--resume", save).exit_code == 0
    run("train", file, "--label", "sold", *ONCE, "--save", whole, "--bad-rows", "stop")
    assert save.read_bytes() == whole.read_bytes()
    assert load(save).schema_.kinds() == {"code": "mixed"}


def test_a_value_at_odds_with_training_is_told(run, prices, tmp_path):
    (tmp_path / "new.csv").write_text("price,sold\n3,1\ncheap,0\n")
    for arguments in (
        ["predict", tmp_path / "new.csv", "--model", prices],
        ["train", tmp_path / "new.csv", "--start-from", prices],
    ):
        result = run(*arguments)
        assert result.exit_code == 0
        assert "the column 'price' has 1 value that is not a number, like 'cheap' in row 2" in result.stderr


def test_learning_on_top_reads_columns_as_before(run, shop, tmp_path):
    (tmp_path / "more.csv").write_text("zip,sold\n" + "07,yes\n12,no\n" * 20)
    result = run("train", tmp_path / "more.csv", "--start-from", shop, "--save", tmp_path / "on.wms", "--json")
    assert {row["feature"] for row in json.loads(result.stdout)["top"]} == {"zip=07", "zip=12", "zip=N7"}
    assert load(tmp_path / "on.wms").schema_.kinds() == {"zip": "text"}


def test_resume_reads_columns_as_before(run, tmp_path):
    """The first file decides; a later file alone would be read differently."""
    files = [tmp_path / "0.csv", tmp_path / "1.csv"]
    files[0].write_text("zip,sold\n" + "N7,1\n07,0\n" * 20)
    files[1].write_text("zip,sold\n" + "07,1\n12,0\n" * 20 + "1,2,3\n")
    save, whole = tmp_path / "m.wms", tmp_path / "whole.wms"
    assert run("train", *files, "--label", "sold", *ONCE, "--save", save, "--bad-rows", "stop").exit_code == 1
    files[1].write_text("zip,sold\n" + "07,1\n12,0\n" * 20 + "123,1\n")
    assert run("train", *files, "--resume", save).exit_code == 0
    run("train", *files, "--label", "sold", *ONCE, "--save", whole, "--bad-rows", "stop")
    assert save.read_bytes() == whole.read_bytes()
    assert load(save).weight("zip=123") != 0


def test_models_that_read_a_column_otherwise_do_not_merge(run, shop, tmp_path):
    (tmp_path / "numbers.csv").write_text("zip,sold\n" + "7,yes\n12,no\n" * 20)
    run("train", tmp_path / "numbers.csv", "--label", "sold", "--positive", "yes", "--save", tmp_path / "n.wms")
    result = run("merge", shop, tmp_path / "n.wms", "--output", tmp_path / "both.wms")
    assert result.exit_code == 1 and "one model took the column 'zip' as text, the other as number" in result.stderr
    assert not (tmp_path / "both.wms").exists()
    (tmp_path / "later.csv").write_text("zip,sold\n" + "".join(f"{code},{sold}\n" for code, sold in SHOP * 30))
    run("train", tmp_path / "later.csv", "--label", "sold", "--positive", "yes", "--save", tmp_path / "later.wms")
    run("merge", shop, tmp_path / "later.wms", "--output", tmp_path / "both.wms")
    assert json.loads(run("inspect", tmp_path / "both.wms", "--json").stdout)["labels"] == ["no", "yes"]


@pytest.mark.parametrize(
    ("labels", "options", "text", "as_json"),
    [
        (("yes", "no"), ["--positive", "yes"], ["yes", "no"], ["yes", "no"]),
        (("1", "0"), [], ["1", "0"], [1, 0]),
        (("1", "0"), ["--positive", "0"], ["1", "0"], [1, 0]),
        (("+1", "-1"), [], ["+1", "-1"], [1, -1]),
        (("true", "false"), [], ["true", "false"], [True, False]),
        (("a", "b", "c"), ["--positive", "a"], ["a", "not a", "not a"], ["a", "not a", "not a"]),
        (("1", "2", "3"), ["--positive", "1"], ["1", "not 1", "not 1"], ["1", "not 1", "not 1"]),
    ],
)
def test_labels_come_out_as_they_went_in(run, tmp_path, labels, options, text, as_json):
    file, model = tmp_path / "rows.csv", tmp_path / "m.wms"
    file.write_text("x,y\n" + "".join(f"v{label},{label}\n" for label in labels) * 60)
    assert run("train", file, "--label", "y", *options, "--save", model).exit_code == 0
    lines = run("predict", file, "--model", model).stdout.splitlines()[: len(labels)]
    assert [line.split("\t")[0] for line in lines] == text
    assert run("predict", file, "--model", model, "--label-only").stdout.splitlines()[: len(labels)] == text
    records = run("predict", file, "--model", model, "--json").stdout.splitlines()[: len(labels)]
    assert [json.loads(record)["label"] for record in records] == as_json


def test_labels_of_a_model_that_was_not_trained_here(run, data, tmp_path):
    model = AWMSketch("8KiB")
    for _ in range(20):
        model.learn_many([{"a": 1.0}, {"b": 1.0}], ["spam", "ham"]) if model.__sklearn_is_fitted__() else (
            model.partial_fit([{"a": 1.0}, {"b": 1.0}], ["spam", "ham"], classes=["ham", "spam"])
        )
    model.save(tmp_path / "m.wms")
    (tmp_path / "new.vw").write_text("| a\n| b\n")
    assert run("predict", tmp_path / "new.vw", "--model", tmp_path / "m.wms", "--label-only").stdout == "spam\nham\n"


def test_columns_that_only_training_needs_may_be_missing(run, data, tmp_path):
    (tmp_path / "train.csv").write_text("id,city,w,sold\n" + "1,Rome,2,yes\n2,Oslo,1,no\n" * 20)
    options = ["--label", "sold", "--positive", "yes", "--ignore", "id", "--weight", "w"]
    run("train", tmp_path / "train.csv", *options, "--save", tmp_path / "m.wms")
    (tmp_path / "new.csv").write_text("city\nRome\n")
    result = run("predict", tmp_path / "new.csv", "--model", tmp_path / "m.wms", "--label-only")
    assert (result.exit_code, result.stdout) == (0, "yes\n"), result.stderr
    result = run("predict", tmp_path / "new.csv", "--model", tmp_path / "m.wms", "--features", "town")
    assert result.exit_code == 1 and "features: there is no column 'town'" in result.stderr


def test_names_that_no_row_of_json_has(run, tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"city": "Rome", "y": 1}\n{"city": "Oslo", "y": 0}\n')
    options = [tmp_path / "rows.jsonl", "--label", "y", "--save", tmp_path / "m.wms"]
    result = run("train", *options, "--features", "city,towm")
    assert result.exit_code == 1 and "features: no row has a column 'towm'" in result.stderr
    assert run("train", *options).exit_code == 0
    result = run("predict", tmp_path / "rows.jsonl", "--model", tmp_path / "m.wms", "--features", "city,towm")
    assert result.exit_code == 0 and "note: features: no row has a column 'towm'" in result.stderr


def test_lone_quotes_are_ordinary_without_quoting(run, tmp_path):
    (tmp_path / "words.tsv").write_text('word\ty\n"tis\t1\nthe\t0\n')
    assert run("train", tmp_path / "words.tsv", "--label", "y").exit_code == 0
    result = run("train", tmp_path / "words.tsv", "--label", "y", "--quoting", "--bad-rows", "stop")
    assert result.exit_code == 1 and "words.tsv:2:1: expected a closing quote" in result.stderr
    (tmp_path / "words.csv").write_text('word,y\n"tis,1\nthe,0\n')
    result = run("train", tmp_path / "words.csv", "--label", "y", "--no-quoting", "--json")
    assert {row["feature"] for row in json.loads(result.stdout)["top"]} == {'word="tis', "word=the"}


def test_columns_learned_from_that_are_not_there_are_noted(run, data, tmp_path):
    run(
        "train",
        data / "sales.csv",
        "--label",
        "sold",
        "--positive",
        "yes",
        "--ignore",
        "id",
        "--save",
        tmp_path / "m.wms",
    )
    rows = (data / "sales.csv").read_text()
    (tmp_path / "renamed.csv").write_text(rows.replace("city", "town", 1))
    renamed = run("predict", tmp_path / "renamed.csv", "--model", tmp_path / "m.wms")
    assert renamed.exit_code == 0
    assert "note: columns of the training are missing: 'city'" in renamed.stderr
    quiet = run("predict", tmp_path / "renamed.csv", "--model", tmp_path / "m.wms", "--quiet")
    same = run("predict", data / "sales.csv", "--model", tmp_path / "m.wms")
    assert "note" not in quiet.stderr + same.stderr


def test_rows_of_json_without_the_columns_of_the_model_are_refused(run, data, tmp_path):
    model, rows = tmp_path / "m.wms", tmp_path / "rows.jsonl"
    assert run("train", data / "sales.csv", "--label", "sold", "--positive", "yes", "--save", model).exit_code == 0
    rows.write_text('{"town": "Rome", "cost": 3}\n' * 20)
    result = run("predict", rows, "--model", model)
    assert result.exit_code == 1
    assert "none of the columns of the training ('city', 'price')" in result.stderr
    rows.write_text('{"city": "Rome", "cost": 3}\n' * 20)
    result = run("predict", rows, "--model", model)
    assert result.exit_code == 0
    assert "note: columns of the training are missing: 'price'" in result.stderr


@pytest.mark.parametrize(
    ("option", "value", "has"),
    [("--label", "city", "sold"), ("--positive", "no", "yes"), ("--ignore", "price", "id"), ("--numbers", "raw", "")],
)
def test_an_option_that_the_model_would_overrule_is_refused(run, data, tmp_path, option, value, has):
    rows, model = data / "sales.csv", tmp_path / "m.wms"
    same = ("--label", "sold", "--positive", "yes", "--ignore", "id")
    assert run("train", rows, *same, "--save", model).exit_code == 0
    assert run("predict", rows, *same, "--model", model).exit_code == 0
    assert run("train", rows, *same, "--start-from", model).exit_code == 0
    for command in (["predict", rows, "--model", model], ["train", rows, "--start-from", model]):
        result = run(*command, option, value)
        assert result.exit_code == 2
        assert f"{option} is {has}" in result.stderr and f"got {value}" in result.stderr
