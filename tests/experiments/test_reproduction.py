"""The evaluation on a small generated stream: what it measures, and that nothing is run twice."""

import json
from pathlib import Path

import numpy as np
import pytest

from wmsketch import AWMSketch, LogisticRegression
from wmsketch.evaluation import generated
from wmsketch.evaluation.budget_shapes import BUDGETS, make_model, paper_shape, searched_shapes
from wmsketch.evaluation.journal import Journal
from wmsketch.evaluation.plan import Plan, make_plan
from wmsketch.evaluation.questions import QUESTIONS
from wmsketch.evaluation.reproduction import reproduce
from wmsketch.evaluation.stream_run import StreamRun, budget_runs, own_top
from wmsketch.evaluation.streams import Library
from wmsketch.methods import LIMITED
from wmsketch.results.recovery_error import RecoveryError
from wmsketch.results.top_error import TopError

STREAM = "small-v1"


def small_stream():
    X, y, _ = generated.weighted_stream(2000, 3000, per_row=20, n_heavy=60, strength=60.0, seed=2)
    X.data *= 4
    return X, y


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A folder with one data set, as the loaders write it."""
    X, y = small_stream()
    arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "y": y}
    np.savez(tmp_path / f"{STREAM}.npz", **arrays)
    return Library(tmp_path)


def quiet(what: str, done: int, total: int) -> None:
    pass


@pytest.mark.parametrize("method", LIMITED)
@pytest.mark.parametrize("budget", BUDGETS)
def test_shapes_keep_to_the_papers_bytes_and_use_them(method: str, budget: int) -> None:
    model = make_model(method, paper_shape(method, budget))
    model.learn_one({1: 1.0}, True)
    assert 0.99 * budget <= model.paper_bytes <= budget


@pytest.mark.parametrize("method", ["wm", "awm"])
def test_searched_shapes_keep_to_the_budget_and_hold_the_papers(method: str) -> None:
    for budget in BUDGETS:
        shapes = list(searched_shapes(method, budget))
        sizes = [8 * shape["active_set_size"] + 4 * shape["width"] * shape["depth"] for shape in shapes]
        assert min(sizes) > 0 and max(sizes) <= budget
        assert paper_shape(method, budget) in shapes


def test_a_run_is_the_papers_algorithm(library: Library) -> None:
    [run] = budget_runs(STREAM, "awm", 2048, seeds=1)
    result = run.measure(library)
    X, y = small_stream()
    model = AWMSketch.paper(2048)
    model.learn_many(X, y)
    assert result["error_rate"] == model.error_rate_
    assert (result["nbytes"], result["paper_bytes"]) == (model.nbytes, 2048)


def test_recovery_is_measured_as_compare_does() -> None:
    """Both give the same figure for the same answer: the heaviest of all features."""
    X, y = small_stream()
    reference, model = LogisticRegression(), make_model("wm", paper_shape("wm", 8192))
    for learner in (reference, model):
        learner.learn_many(X, y)
    estimates = model.weights(np.arange(X.shape[1])) * (np.diff(X.tocsc().indptr) > 0)
    heaviest = np.argsort(-np.abs(estimates))
    truth = TopError(reference.weights(np.arange(X.shape[1])))
    sizes = [8, 128]
    assert truth.at(heaviest, estimates[heaviest], sizes) == pytest.approx(RecoveryError(reference).at(model, sizes))


def test_hashing_is_asked_for_features_that_occurred(library: Library) -> None:
    stream = library.load(STREAM)
    model = make_model("hash", {"width": 512})
    model.learn_many(stream.X, stream.y)
    keys, weights = own_top(model, stream)
    assert set(keys) <= set(stream.X.indices) and len(set(keys)) == 512
    assert np.all(np.diff(np.abs(weights)) <= 0)


def test_every_question_has_an_answer_in_tables_and_figures(library: Library, tmp_path: Path) -> None:
    plan = Plan((STREAM,), STREAM, seeds=2, search_seeds=1, budgets=(2048, 8192), l2s=(1e-3, 1e-6), quick=True)
    questions = [question for name, question in QUESTIONS.items() if name not in ("theory", "run-time")]
    answers = reproduce(questions, plan, library, tmp_path / "out", quiet)
    for question, rows in answers:
        assert rows, question.name
        document = json.loads((tmp_path / "out" / f"{question.name}.json").read_text())
        assert len(document["rows"]) == len(rows) and document["streams"] == [STREAM]
        table = (tmp_path / "out" / f"{question.name}.md").read_text()
        assert table.count("\n|") == len(rows) + 2
        picture = tmp_path / "out" / f"{question.name}.png"
        assert picture.exists() == (question.draw is not None)


def test_an_interrupted_reproduction_loses_one_run_at_most(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan((STREAM,), STREAM, seeds=2, budgets=(2048,))
    measure, titles = StreamRun.measure, []

    def counted(run: StreamRun, library: Library) -> dict:
        titles.append(run.title)
        if len(titles) == 4:
            raise KeyboardInterrupt
        return measure(run, library)

    monkeypatch.setattr(StreamRun, "measure", counted)
    with pytest.raises(KeyboardInterrupt):
        reproduce([QUESTIONS["budgets"]], plan, library, tmp_path / "out", quiet)
    assert len(titles) == 4
    reproduce([QUESTIONS["budgets"]], plan, library, tmp_path / "out", quiet)
    n_runs = len(set(QUESTIONS["budgets"].runs(plan)))
    assert len(titles) == n_runs + 1  # the fourth was started twice
    reproduce([QUESTIONS["budgets"], QUESTIONS["online-error"]], plan, library, tmp_path / "out", quiet)
    assert len(titles) == n_runs + 1


def test_a_damaged_or_foreign_file_is_not_believed(library: Library, tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    first, second = budget_runs(STREAM, "awm", 2048, seeds=2)
    journal.put(first, {"error_rate": 0.5})
    assert journal.get(first) == {"error_rate": 0.5} and journal.get(second) is None
    journal.path(second).write_text(journal.path(first).read_text())
    assert journal.get(second) is None
    journal.path(first).write_text('{"run"')
    assert journal.get(first) is None


def test_a_method_without_chance_runs_once() -> None:
    assert len(budget_runs(STREAM, "truncation", 2048, seeds=10)) == 1
    assert len(budget_runs(STREAM, "awm", 2048, seeds=10)) == 10


def test_the_newest_version_of_a_data_set_counts(library: Library, tmp_path: Path) -> None:
    (tmp_path / "small-v2.npz").write_bytes((tmp_path / f"{STREAM}.npz").read_bytes())
    assert library.find("small") == "small-v2"
    assert library.find("absent") is None
    with pytest.raises(ValueError, match="dataset must be in the data folder, got 'absent'"):
        make_plan(library, ["absent"], quick=True)
