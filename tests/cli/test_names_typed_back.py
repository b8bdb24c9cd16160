"""Names that a message prints can be typed back, and the command at its end works."""

import shlex

import pytest


@pytest.fixture
def table(tmp_path):
    rows = [f"{'Rome' if i % 2 else 'Oslo'},{i * 7 % 13},{i % 5},{['no', 'yes'][i % 2]}" for i in range(200)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(['city ," price","age, years",sold', *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    "options",
    [
        ("train", "--label", "sold", "--features", "city"),
        ("train", "--label", "sold", "--features", "city ,sold"),
        ("train", "--label", "sold", "--features", "age, years"),
        ("train", "--label", "sold ", "--features", "city "),
        ("explain", "--outlier", "price>p90"),
        ("explain", "--outlier", "sold==yes", "--attributes", "price"),
    ],
)
def test_the_command_at_the_end_of_a_message_works(run, table, options):
    command, *rest = options
    result = run(command, table, *rest)
    assert result.exit_code == 1, result.stderr
    assert "did you mean" in result.stderr
    meant = shlex.split(result.stderr.partition("; type: wmsketch ")[2])
    assert meant[:2] == [command, str(table)]
    assert run(*meant).exit_code == 0


def test_a_single_name_keeps_its_blanks(run, table):
    assert "city =Rome" in run("train", table, "--label", "sold", "--features", "city ").stdout


def test_names_of_nested_rows_are_suggested(run, tmp_path):
    path = tmp_path / "places.jsonl"
    path.write_text('{"properties": {"ms": 3, "kind": "a"}}\n{"properties": {"ms": 4, "kind": "b"}}\n' * 50)
    assert "did you mean 'properties.kind'?" in run("train", path, "--label", "kind").stderr
    result = run("explain", path, "--outlier", "ms>3")
    assert result.stderr.endswith(f"type: wmsketch explain {path} --outlier 'properties.ms>3'\n")


def test_a_text_file_with_columns_is_a_table_if_a_column_is_asked_for(run, tmp_path):
    path = tmp_path / "orders.txt"
    path.write_text("price|city|sold\n" + "3|Rome|no\n9|Oslo|yes\n" * 50)
    assert "100 examples" in run("train", path, "--label", "sold").stdout
    assert "100 rows, 50 outliers" in run("explain", path, "--outlier", "price>5").stdout
    path.write_text("one word\n" * 50)
    result = run("train", path, "--label", "sold")
    assert result.exit_code == 2 and "--label cannot be used with text input" in result.stderr


def test_one_equals_sign_is_two(run, table):
    answers = [run("explain", table, "--outlier", f"sold{sign}yes").stdout for sign in ("=", "==")]
    assert "200 rows, 100 outliers" in answers[0] and answers[0] == answers[1]
