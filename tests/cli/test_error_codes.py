"""Errors have codes and fields, and use the terms of the caller: Python or the command line."""

import copy
import pickle
import re
from pathlib import Path

import pytest

from wmsketch import AWMSketch, CountMin, CountSketch, WMSketch, merge_models
from wmsketch.apps import Diff
from wmsketch.errors import CodedError, MergeError, ParameterError, ParameterTypeError, RowError
from wmsketch.readers import BadInput, open_examples

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize(
    ("make", "parameter", "value", "words"),
    [
        (lambda: AWMSketch(l2=-1), "l2", -1.0, "l2 must be at least 0 and finite, got -1.0"),
        (lambda: AWMSketch(loss="x"), "loss", "x", "loss must be one of 'logistic', "),
        (lambda: AWMSketch("10"), "budget", "10", "budget must be at least "),
        (lambda: AWMSketch(half_life="soon"), "half_life", "soon", "half_life must be a number of rows, or a text"),
        (lambda: WMSketch(averaged=True, half_life=9), "half_life", 9.0, "half_life must not be given when averaging"),
    ],
)
def test_an_error_says_which_parameter_in_a_field(make, parameter, value, words):
    with pytest.raises(ParameterError) as caught:
        make().check_parameters()
    problem = caught.value
    assert (problem.code, problem.parameter, problem.value) == ("parameter", parameter, value)
    assert str(problem).startswith(words)


def test_a_wrong_type_is_a_type_error_too():
    for make in (lambda: AWMSketch(width="wide").check_parameters(), lambda: CountMin(width="wide")):
        with pytest.raises(TypeError, match="width must be an integer, got 'wide'") as caught:
            make()
        assert isinstance(caught.value, ParameterTypeError)


def test_a_bad_row_says_its_number_in_a_field():
    model = AWMSketch("8KiB", half_life="1h")
    with pytest.raises(RowError) as caught:
        model.learn_many([{1: 1.0}] * 3, [True, False, True], times=[0.0, 1.0, float("nan")])
    assert caught.value.row == 2 and caught.value.message == "the time must be finite, got nan"


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("1 3:1\n2 3:1\n", {}, "which_positive"),
        ("1 3:1\n-1 3:1\n0 3:1\n", {}, "third_label"),
        ("1 3:x\n", {}, "row"),
        ("a,y\n1,yes\n", {"format": "csv", "label": "y"}, "which_positive"),
        ("a,y\n1,\n", {"format": "csv", "label": "y"}, "label"),
        ("a,y\n1,1\n", {"format": "csv", "label": "z"}, "column"),
    ],
)
def test_bad_input_has_a_code(tmp_path, text, options, code):
    (tmp_path / "rows.svm").write_text(text)
    with pytest.raises(BadInput) as caught:
        list(open_examples(tmp_path / "rows.svm", **options))
    assert caught.value.code == code


def learned(model, rows=({1: 1.0}, {2: 1.0})):
    model.learn_many(list(rows) * 6, [True, False] * 6)
    return model


def forgetful():
    return learned(AWMSketch("8KiB", half_life=9))


@pytest.mark.parametrize(
    ("make", "differs"),
    [
        (lambda: learned(AWMSketch("8KiB", seed=0)).merge(learned(AWMSketch("8KiB", seed=1))), ("seed",)),
        (lambda: learned(AWMSketch("8KiB")).merge(learned(WMSketch("8KiB"))), ("class",)),
        (lambda: CountMin(width=8, depth=1).merge(CountMin(width=9, depth=1)), ("width",)),
        (lambda: CountMin(width=8).merge(CountSketch(width=8)), ("class",)),
        (lambda: Diff("16KiB").merge(Diff("16KiB", seed=3)), ("seed",)),
        (
            lambda: merge_models([learned(AWMSketch("8KiB")), learned(AWMSketch("8KiB", seed=2, l2=1.0))]),
            ("l2", "seed"),
        ),
        (lambda: merge_models([forgetful(), forgetful()], base=forgetful()), ("base",)),
    ],
)
def test_models_that_cannot_be_merged_say_what_differs(make, differs):
    with pytest.raises(MergeError, match="cannot merge") as caught:
        make()
    assert caught.value.code == "merge" and sorted(caught.value.differs) == sorted(differs)


@pytest.mark.parametrize(
    "problem",
    [
        MergeError("cannot merge: seed differs (1 and 2)", ("seed",)),
        ParameterError("depth", "must be 1: set {step=plain}", 3),
        ParameterTypeError("width", "must be an integer", "wide"),
        RowError(2, "the time must be finite"),
        BadInput("expected a label", "a.csv", 7, 2),
    ],
)
def test_errors_can_be_copied(problem: CodedError):
    for twin in (copy.copy(problem), pickle.loads(pickle.dumps(problem))):
        assert type(twin) is type(problem) and str(twin) == str(problem)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--l2", "-1"], "--l2 must be at least 0 and finite, got -1.0"),
        (["--budget", "8KBB"], "--budget must be a number of bytes above 0"),
        (["--half-life", "soon"], "--half-life must be a number of rows, or a text like 10min with a unit"),
        (["--label", "y"], "--label cannot be used with libsvm input"),
        (["--name-bytes", "x"], "--name-bytes must be a number of bytes"),
    ],
)
def test_the_command_line_names_its_options(run, data, options, words):
    result = run("train", data / "events.svm", *options)
    assert result.exit_code == 2 and result.stderr.startswith(f"wmsketch: {words}"), result.stderr


def test_a_row_that_cannot_be_learned_is_named_by_its_place_in_the_file(run, tmp_path):
    rows = [f"{at},{at % 2}\n" for at in range(40)]
    rows[29] = "1e14,1\n"
    (tmp_path / "late.csv").write_text("at,y\n" + "".join(rows))
    result = run("train", tmp_path / "late.csv", "--label", "y", "--half-life", "1h", "--time", "at")
    assert result.exit_code == 1
    assert "late.csv: row 30: the time must be in seconds, between -1e11 and 1e11" in result.stderr


def test_the_core_does_not_speak_python():
    """The core does not mention Python's parameters and constants."""
    words = re.compile(r'"[^"\n]*(\bNone\b|\bTrue\b|\bFalse\b|\w=\'|learn_one|learn_many)[^"\n]*"')
    files = [*ROOT.glob("cpp/include/**/*.hpp"), *ROOT.glob("cpp/src/**/*.cpp")]
    found = [f"{path.name}: {match[0]}" for path in files for match in words.finditer(path.read_text())]
    assert found == []


def test_nobody_looks_for_words_in_a_message():
    looks = re.compile(r"in str\(\w+\)|re\.\w+\([^\n]*(message|str\(problem)|message\.(starts|ends)with")
    files = (ROOT / "src" / "wmsketch").rglob("*.py")
    found = [f"{path.name}: {match[0]}" for path in files for match in looks.finditer(path.read_text())]
    assert found == []
