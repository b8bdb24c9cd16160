"""Labels keep the spelling of the input."""

import pyarrow as pa
import pytest

from wmsketch.readers import LabelNames, open_examples


def labels(path, text, **options):
    path.write_text(text)
    with open_examples(path, **options) as examples:
        list(examples)
        return examples.labels


@pytest.mark.parametrize(
    ("name", "text", "options", "names"),
    [
        ("a.svm", "+1 3:1\n-1 4:1\n1 3:1\n", {}, ("-1", "+1", False)),
        ("a.svm", "2 3:1\n1 4:1\n", {"positive": "1"}, ("2", "1", False)),
        ("a.vw", "0 | a\n1.0 | b\n", {}, ("0", "1.0", False)),
        ("a.csv", "x,y\n1,yes\n2,no\n", {"label": "y", "positive": "yes"}, ("no", "yes", False)),
        ("a.csv", "x,y\n1,no\n2,no\n", {"label": "y", "positive": "yes"}, ("no", "yes", False)),
        ("a.csv", "x,y\n1,a\n2,b\n3,c\n", {"label": "y", "positive": "c"}, ("a", "c", True)),
        ("a.csv", "x,y\n1,0\n2,0.0\n3,1\n", {"label": "y", "positive": 1}, ("0", "1", False)),
        ("a.csv", "x,y\n1,True\n2,FALSE\n", {"label": "y"}, ("FALSE", "True", False)),
        ("a.jsonl", '{"y": true}\n{"y": false}\n', {"label": "y"}, ("false", "true", False)),
        ("a.svm", "1 3:1\n", {}, (None, "1", False)),
    ],
)
def test_labels_are_remembered_as_written(tmp_path, name, text, options, names):
    assert labels(tmp_path / name, text, **options) == names


def test_labels_of_a_table():
    with open_examples(pa.table({"x": [1, 2], "y": [0, 1]}), label="y") as examples:
        list(examples)
    assert examples.labels == LabelNames("0", "1")
