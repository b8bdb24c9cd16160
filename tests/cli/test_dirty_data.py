"""Commands on files with bad rows, missing labels, other encodings and odd names."""

import json
import re

import pytest

from wmsketch import AWMSketch

ROWS = [f"{'Rome' if i % 3 else 'Oslo'},{i % 17},{'yes' if i % 3 else 'no'}" for i in range(300)]


@pytest.fixture
def dirty(tmp_path):
    rows = [*ROWS[:200], "Rome,1", *ROWS[200:], "Oslo,3,"]
    path = tmp_path / "sales.csv"
    path.write_text("city,price,sold\n" + "\n".join(rows) + "\nRome,2,y,")
    return path


LABEL = ("--label", "sold", "--positive", "yes")
SKIP = ("--bad-rows", "skip", "--missing-label", "skip")


@pytest.mark.parametrize(
    "command", [["train"], ["compare", "--methods", "awm", "--budgets", "2KiB", "--seeds", "1"], ["explain"]],
    ids=lambda command: command[0],
)  # fmt: skip
def test_bad_rows_stop_a_command_with_the_way_out_or_are_counted(run, dirty, command):
    result = run(*command, dirty, *LABEL, "--bad-rows", "stop")
    assert result.exit_code == 1
    assert "sales.csv:202:7: expected 3 columns, found 2 (--bad-rows skip skips such rows)" in result.stderr
    result = run(*command, dirty, *LABEL, "--missing-label", "skip")  # the short row has no label
    assert result.exit_code == 0 and "2 rows without a label were skipped" in result.stderr
    result = run(*command, dirty, *LABEL, "--bad-rows", "skip", "--missing-label", "stop")
    assert result.exit_code == 1 and "(--missing-label skip skips such rows)" in result.stderr
    result = run(*command, dirty, *LABEL, *SKIP)
    assert result.exit_code == 0, result.stderr
    assert "2 bad rows were skipped; the first:" in result.stderr
    assert "1 row without a label was skipped" in result.stderr
    document = json.loads(run(*command, dirty, *LABEL, *SKIP, "--json").stdout)
    assert document["rejected_rows"] == 3 and document["examples"] == 300
    assert "sales.csv:202:7" in document["rejected"][0]


def test_predict_passes_over_bad_rows_and_says_so(run, dirty, tmp_path):
    model = tmp_path / "m.wms"
    assert run("train", dirty, *LABEL, *SKIP, "--save", model).exit_code == 0
    result = run("predict", dirty, "--model", model)  # problems of one file are not reported for others
    assert result.exit_code == 0 and "--missing-label skip" not in result.stderr
    assert len(result.stdout.splitlines()) == 303  # rows need no label
    assert "1 row has fewer cells than columns, the first in line 202" in result.stderr
    rejects = tmp_path / "rejects.tsv"
    result = run("predict", dirty, "--model", model, *SKIP, "--rejects", rejects)
    assert result.exit_code == 0 and len(result.stdout.splitlines()) == 301  # a row needs no label
    assert "2 bad rows were skipped" in result.stderr and "301 rows, 300 with a label" in result.stderr
    assert [line.split("\t")[2] for line in rejects.read_text().splitlines()] == ["Rome,1", "Rome,2,y,"]


def test_diff_and_pmi_pass_over_bad_rows(run, dirty, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("city,price,sold\n" + "\n".join(ROWS[:150]) + "\noops")
    result = run("diff", dirty, other, "--items", "city", "--bad-rows", "skip", "--json", "--rejects", tmp_path / "r")
    document = json.loads(result.stdout)
    assert document["rejected_rows"] == 3 and (document["total_a"], document["total_b"]) == (301, 150)
    assert len((tmp_path / "r").read_text().splitlines()) == 3
    split = run("diff", dirty, "--split", "sold", "--a", "yes", "--b", "no", "--items", "city", "--bad-rows", "skip")
    assert split.exit_code == 0 and "2 bad rows were skipped" in split.stderr
    result = run("pmi", dirty, "--items", "city", "--bad-rows", "skip", "--json")
    assert json.loads(result.stdout)["rejected_rows"] == 2
    assert "cannot be used with running text" in run("pmi", "-", "--bad-rows", "skip", input="a b").stderr


def test_an_input_of_bad_rows_only_says_what_is_wrong(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,sold\n1\n2\n")
    result = run("train", path, *LABEL, "--bad-rows", "skip")
    assert result.exit_code == 1
    assert "no examples found; 2 bad rows were skipped; the first:" in result.stderr
    for command in (("diff", path, path), ("pmi", path, "--items", "sold")):
        result = run(*command, "--bad-rows", "skip")
        assert result.exit_code == 1
        assert re.search(r"no \w+ found.*; \d bad rows were skipped; the first:", result.stderr), result.stderr


def test_a_positive_label_that_never_comes_is_an_error_and_saves_nothing(run, dirty, tmp_path):
    model = tmp_path / "m.wms"
    AWMSketch("4KiB").save(model)
    before = model.read_bytes()
    for command in (["train", "--save", model, "--checkpoint-every", 1], ["explain"], ["compare", "--methods", "awm"]):
        result = run(command[0], dirty, "--label", "sold", "--positive", "YES", *SKIP, *command[1:])
        assert result.exit_code == 1 and result.stdout == ""
        assert "no row has the label 'YES' of --positive; the labels are 'no', 'yes'" in result.stderr
    assert model.read_bytes() == before
    svm = tmp_path / "a.svm"
    svm.write_text("1 3:1\n1 4:1\n")
    assert "label '2' of --positive; the labels are '1'" in run("train", svm, "--positive", "2").stderr


def test_one_dirty_value_late_is_told_with_the_ways_out(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("price,sold\n" + "".join(f"{i}.5,{i % 2}\n" for i in range(500_000)) + "n/k,1\n")
    result = run("train", path, "--label", "sold")
    assert result.exit_code == 0
    assert (
        "note: the column 'price' has 1 value that is not a number, like 'n/k' in row 500,001; each is a category of "
        "its own (--na n/k reads it as missing, --categorical price reads the column as text)"
    ) in result.stderr
    for way in (["--na", "n/k"], ["--categorical", "price"]):
        assert "not a number" not in run("train", path, "--label", "sold", *way).stderr


def test_a_few_dirty_values_among_numbers_are_told(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("price,city,sold\n" + "".join(f"{i}.5,{i % 7}x,{i % 2}\n" for i in range(100)) + "n/k,7x,1\n")
    note = "the column 'price' has 1 value that is not a number, like 'n/k' in row 101; each is a category of its own ("
    for command in (["train"], ["explain"], ["compare", "--methods", "awm", "--seeds", "1"]):
        result = run(*command, path, "--label", "sold")
        assert result.exit_code == 0 and note in result.stderr and "city" not in result.stderr
        assert "not a number" not in run(*command, path, "--label", "sold", "--categorical", "price").stderr
    for way, told in (["--na", "n/k"], False), (["--numeric", "price"], True):
        shown = run("train", path, "--label", "sold", *way)
        assert "price=" not in shown.stdout and ("which are read as missing" in shown.stderr) == told


def test_words_for_missing_are_part_of_the_model(run, tmp_path):
    from wmsketch import load

    path, model = tmp_path / "a.csv", tmp_path / "m.wms"
    path.write_text("city,price,sold\n" + "".join(f"{'-' if i % 2 else 'Rome'},{i % 5},{i % 2}\n" for i in range(50)))
    assert run("train", path, "--label", "sold", "--na", "-,?", "--save", model).exit_code == 0
    learned = load(model)
    assert learned.schema_.rules.na == ("-", "?")
    assert learned.predict_proba_one({"city": "-", "price": 1}) == learned.predict_proba_one({"price": 1})
    new = tmp_path / "new.csv"
    new.write_text("city,price\n-,1\n,1\n?,1\n")
    assert len(set(run("predict", new, "--model", model).stdout.splitlines())) == 1


def test_encodings(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("city,sold\nOrléans,1\nRome,0\n".encode("cp1252"))
    result = run("train", path, "--label", "sold")
    assert result.exit_code == 0 and "city=Orléans" in result.stdout
    told = "1 byte is not UTF-8 and read as cp1252, Windows text, the first in line 2 (--encoding NAME reads another"
    assert told in result.stderr
    result = run("train", path, "--label", "sold", "--bad-rows", "stop")
    assert result.exit_code == 1
    assert 'a.csv:2:4: expected text in UTF-8, found the bytes "\\xe9ans"' in result.stderr
    assert "(--encoding cp1252 reads Windows text, --bad-rows skip skips such rows)" in result.stderr
    assert "city=Orléans" in run("train", path, "--label", "sold", "--encoding", "cp1252").stdout
    assert "city=Orléans" in run("explain", path, "--label", "sold", "--encoding", "cp1252", "--all").stdout
    path.write_bytes("city,sold\nOrléans,1\nRome,0\n".encode("utf-16"))
    result = run("train", path, "--label", "sold")
    assert "city=Orléans" in result.stdout and "a.csv is not UTF-8 but read as utf-16 (--encoding" in result.stderr
    assert "city=Orléans" in run("train", path, "--label", "sold", "--encoding", "utf-16").stdout


def test_names_of_columns_with_commas_and_blanks(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"a, b", c ,d,sold\n' + "".join(f"{i % 3},{i % 5},{i % 7},{i % 2}\n" for i in range(50)))
    shown = run("train", path, "--label", "sold", "--ignore", '"a, b"," c "').stdout
    assert shown.split("\n")[1].startswith("d ") and "a, b" not in shown
    result = run("train", path, "--label", "sold", "--ignore", "c")
    assert result.exit_code == 1 and "there is no column 'c'; did you mean ' c '? (--ignore '\" c \"')" in result.stderr
    path.write_text("Airline ,delay,sold \n" + "".join(f"{'AB'[i % 2]},{i % 5},{i % 2}\n" for i in range(50)))
    result = run("train", path, "--label", "sold", "--features", "Airline ,delay")
    assert "no column 'sold'; did you mean 'sold '? (--label 'sold ')" in result.stderr
    result = run("train", path, "--label", "sold ", "--features", "Airline ,delay")
    assert "there is no column 'Airline'; did you mean 'Airline '? (--features '\"Airline \"')" in result.stderr
    assert run("train", path, "--label", "sold ", "--features", '"Airline ",delay').exit_code == 0


@pytest.mark.parametrize(
    "shuffle", [("--shuffle", "0", "--passes", "1"), ("--shuffle", "3000")], ids=["as they come", "shuffled"]
)
def test_a_run_that_was_stopped_goes_on_to_the_same_model_and_count(run, tmp_path, monkeypatch, shuffle):
    from wmsketch.cli.parts.training import Training

    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for number, file in enumerate(files):
        lines = [
            f"city{(i * 7 + number) % 11},{i % 17},{int(i % 5 > 1)}\n" + "oops\n" * (i % 500 == 0)
            for i in range(150_000)
        ]
        file.write_text("city,price,sold\n" + "".join(lines))
    options = ("--label", "sold", "--bad-rows", "skip", "--json", *shuffle)
    whole, stopped, kept = tmp_path / "whole.wms", tmp_path / "stopped.wms", tmp_path / "rejects"
    full = json.loads(run("train", *files, *options, "--save", whole).stdout)
    learn, n_blocks = Training._learn, iter(range(100))

    def stop_in_the_second_file(self, block, *more):
        if block.position.file == 1 and next(n_blocks) == 1:
            raise OSError("the disk is gone")
        learn(self, block, *more)

    with monkeypatch.context() as patch:
        patch.setattr(Training, "_learn", stop_in_the_second_file)
        result = run("train", *files, *options, "--save", stopped, "--rejects", kept)
        assert result.exit_code == 1 and "saved to" in result.stderr
    rest = json.loads(run("train", *files, "--resume", stopped, "--json").stdout)
    assert rest["rejected_rows"] == full["rejected_rows"] == 600 and rest["top"] == full["top"]
    assert len(kept.read_text().splitlines()) == 600


def test_shuffled_rows_are_the_same_rows(run, tmp_path):
    """On rows sorted by label, a model is biased toward the last one unless it shuffles. Resume gives the same."""
    path = tmp_path / "a.csv"
    rows = [f"{'Rome' if i % 5 else 'Oslo'},{i % 17},{int(i >= 2000)}" for i in range(4000)]
    path.write_text("city,price,sold\n" + "\n".join(rows) + "\n")
    run_with = lambda *more: json.loads(run("train", path, "--label", "sold", "--json", *more).stdout)  # noqa: E731
    plain, mixed = run_with("--shuffle", 0, "--passes", 1), run_with("--shuffle")
    assert plain["examples"] == mixed["examples"] == 4000 and plain["features_seen"] == mixed["features_seen"]
    assert mixed["error_rate"] > 0.4 > 0.1 > plain["error_rate"]  # it cannot guess from the previous row
    assert {row["feature"] for row in mixed["top"]} == {row["feature"] for row in plain["top"]}
    assert run_with("--shuffle")["top"] == mixed["top"] != run_with("--shuffle", "--seed", "1")["top"]
    assert run_with("--shuffle", "1")["top"] == run_with("--shuffle", "1000")["top"]  # one block is the least


@pytest.mark.parametrize("holdout", ["0.1", "400"])
def test_rows_held_out_are_the_same_ones_when_shuffled(run, tmp_path, holdout):
    """Only held-out rows have the city that reveals the label, so a model that learned one of them would show it."""
    keeps = {"0.1": lambda i: (i + 1) * 0.1 // 1 > i * 0.1 // 1, "400": lambda i: i >= 3600}[holdout]
    rows = [f"{'gold' if keeps(i) else 'dust'},{i % 17},{int(keeps(i) or i % 2)}\n" for i in range(4000)]
    path = tmp_path / "a.csv"
    path.write_text("city,price,sold\n" + "".join(rows))
    result = run("train", path, "--label", "sold", "--json", "--shuffle", "--holdout", holdout)
    document = json.loads(result.stdout)
    assert document["holdout"]["examples"] == 400 and document["examples"] == 3600
    assert "city=gold" not in {row["feature"] for row in document["top"]}


@pytest.mark.parametrize(
    "command",
    [
        ["train", "IN", *LABEL],
        ["predict", "IN", "--model", "MODEL"],
        ["explain", "IN", *LABEL],
        ["compare", "IN", *LABEL],
        ["diff", "IN", "IN", "--items", "city"],
        ["pmi", "IN", "--items", "city"],
    ],
    ids=lambda command: command[0],
)
def test_rejects_do_not_go_over_an_input(run, dirty, tmp_path, command):
    before, model = dirty.read_bytes(), tmp_path / "m.wms"
    assert run("train", dirty, *LABEL, *SKIP, "--save", model).exit_code == 0
    paths = {"IN": dirty, "MODEL": model}
    command = [paths.get(word, word) for word in command]
    result = run(*command, "--bad-rows", "skip", "--rejects", dirty)
    assert result.exit_code == 2
    assert f"--rejects must differ from the input, which it would overwrite, got {dirty}" in result.stderr
    assert dirty.read_bytes() == before


def test_rejects_do_not_go_over_a_model(run, dirty, tmp_path):
    model = tmp_path / "m.wms"
    assert run("train", dirty, *LABEL, *SKIP, "--save", model).exit_code == 0
    before = model.read_bytes()
    other = tmp_path / "other.wms"
    for command in (
        ["predict", dirty, "--model", model],
        ["train", dirty, *LABEL, "--start-from", model, "--save", other],
        ["train", dirty, *LABEL, "--start-from", model],
    ):
        result = run(*command, *SKIP, "--rejects", model)
        assert result.exit_code == 2 and "is the model and would be overwritten" in result.stderr
        assert model.read_bytes() == before and not other.exists()


@pytest.mark.parametrize("way", ["new", "there", "link"])
@pytest.mark.parametrize(
    "command",
    [["train", *LABEL, "--save"], ["predict", "--model", "m.wms", "--output"], ["explain", *LABEL, "--report"],
     ["pmi", "--items", "city", "--plot"], ["compare", *LABEL, "--plot"]],
    ids=lambda command: command[0],
)  # fmt: skip
def test_two_results_do_not_go_to_one_file(run, dirty, tmp_path, command, way):
    model, path = tmp_path / "m.wms", tmp_path / "result.svg"
    assert run("train", dirty, *LABEL, *SKIP, "--save", model).exit_code == 0
    if way != "new":
        path.write_bytes(b"kept")
    rejects = path
    if way == "link":
        (rejects := tmp_path / "link").hardlink_to(path)
    name, *options = [model if word == "m.wms" else word for word in command]
    result = run(name, dirty, *options, path, "--bad-rows", "skip", "--rejects", rejects)
    assert result.exit_code == 2
    assert f"{options[-1]} and --rejects must be two files, got {rejects} for both" in result.stderr
    assert path.read_bytes() == b"kept" if way != "new" else not path.exists()


def test_a_full_disk_is_named(run, dirty):
    result = run("train", dirty, *LABEL, *SKIP, "--rejects", "/dev/full")
    assert result.exit_code == 1
    assert "/dev/full: no space left on device" in result.stderr


@pytest.mark.parametrize("option", ["--plot", "--report"])
@pytest.mark.parametrize(
    "command", [["explain", *LABEL], ["diff", "--split", "sold", "--a", "yes", "--b", "no", "--items", "city"],
                ["pmi", "--items", "city"]], ids=lambda command: command[0],
)  # fmt: skip
def test_results_do_not_go_over_an_input(run, dirty, tmp_path, command, option):
    name, *options = command
    (path := tmp_path / "rows.svg").write_bytes(dirty.read_bytes())
    result = run(name, path, *options, "--format", "csv", option, path)
    assert result.exit_code == 2 and "is an input and would be overwritten" in result.stderr
    assert path.read_bytes() == dirty.read_bytes()


def test_headers_of_files_that_were_put_one_behind_the_other_are_no_rows(run, tmp_path):
    text = "city,device,sold\n" + "Rome,phone,yes\nOslo,laptop,no\n" * 20
    (tmp_path / "all.csv").write_text(text + text)
    for command in ("train", "explain"):
        result = run(command, tmp_path / "all.csv", *LABEL)
        assert result.exit_code == 0
        told = "1 bad row was skipped; the first: {}:42:1: expected a row, found the names of the columns again"
        assert told.format(tmp_path / "all.csv") in result.stderr
    document = json.loads(run("train", tmp_path / "all.csv", *LABEL, "--bad-rows", "skip", "--json").stdout)
    assert (document["examples"], document["rejected_rows"]) == (80, 1)


def test_a_file_that_lacks_a_column_of_the_first_is_told_of(run, tmp_path):
    (tmp_path / "1.csv").write_text("id,city,price,sold\n" + "1,Rome,2.5,yes\n2,Oslo,1,no\n" * 20)
    (tmp_path / "2.csv").write_text("sold,price\n" + "yes,2.5\nno,1\n" * 20)
    for command in ("train", "explain", "compare"):
        result = run(command, tmp_path / "1.csv", tmp_path / "2.csv", *LABEL, "--ignore", "id")
        assert result.exit_code == 0
        assert "2.csv has no column 'city', which the first file has" in result.stderr
    result = run("train", tmp_path / "2.csv", tmp_path / "1.csv", *LABEL)
    assert "which the first file has" not in result.stderr
    with pytest.warns(UserWarning, match=r"2\.csv has no column 'city'"):
        AWMSketch("8KiB").learn_file(
            [tmp_path / "1.csv", tmp_path / "2.csv"], label="sold", positive="yes", ignore=["id"]
        )
