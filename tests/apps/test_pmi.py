"""PMI compared with exact counts: values, directions, windows, groups, chunks, bytes."""

import math
import runpy
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from wmsketch.apps import PMI
from wmsketch.apps.pmi.inputs import Columns, Inputs
from wmsketch.readers import BadInput, open_examples

PARTNERS = [(f"left{i}", f"right{i}") for i in range(8)]


def corpus(n_lines: int, seed: int = 1) -> str:
    """Lines of independent words (Zipf), with a few fixed phrases."""
    draw = Random(seed)
    words = [f"w{i}" for i in range(300)]
    shares = [1 / (3 + i) for i in range(300)]
    lines = []
    for _ in range(n_lines):
        line = draw.choices(words, shares, k=12)
        if draw.random() < 0.5:
            at = draw.randrange(10)
            line[at : at + 2] = draw.choices(PARTNERS, [1 / (1 + i) for i in range(8)])[0]
        lines.append(" ".join(line))
    return "\n".join(lines) + "\n"


def topics(n_lines: int, seed: int = 1) -> str:
    """Lines mostly about one of five topics: words of one topic attract, words of two topics avoid each other."""
    draw = Random(seed)
    words = [[f"t{topic}w{i}" for i in range(6)] for topic in range(5)]
    lines = []
    for _ in range(n_lines):
        topic = draw.randrange(5)
        lines.append([draw.choice(words[topic if draw.random() < 0.8 else draw.randrange(5)]) for _ in range(12)])
    return "\n".join(map(" ".join, lines))


@pytest.mark.parametrize("directed", [True, False])
def test_the_weight_is_the_exact_pmi(directed):
    pmi = PMI(directed=directed, eta0=0.1, exact=True)
    pmi.learn_text(topics(6000))
    rows = [row for row in pmi.top(2000, min_count=100) if math.isfinite(row.high)]
    errors = [row.weight - pmi.exact_row(*row.pair).pmi for row in rows]
    assert len(rows) > 200
    assert {row.pmi > 0 for row in rows} == {True, False}
    assert abs(sum(errors) / len(errors)) < 0.05
    assert math.sqrt(sum(error**2 for error in errors) / len(errors)) < 0.3
    covered = sum(row.low <= pmi.exact_row(*row.pair).pmi <= row.high for row in rows)
    assert covered >= 0.9 * len(rows)


def test_without_random_pairs_there_is_no_classifier_and_the_counts_are_the_same():
    with_it, without = PMI(budget="1MiB"), PMI(budget="1MiB", negatives=0)
    for pmi in (with_it, without):
        pmi.learn_text(topics(300))
    assert without.examples == 0 < with_it.examples
    counted = [[(row.pair, row.pmi, row.low, row.high, row.count) for row in pmi.top(50)] for pmi in (with_it, without)]
    assert counted[0] == counted[1]
    assert all(math.isnan(row.weight) and row.as_record()["weight"] is None for row in without.top(50))
    with pytest.raises(ValueError, match="weight needs the classifier"):
        without.top(5, sort="weight")
    never = without.row("t0w0", "nowhere")
    assert never.count == 0 and never.low == -math.inf < never.pmi < never.high


def test_pairs_that_belong_together_come_first_and_those_that_avoid_each_other_last():
    pmi = PMI()
    pmi.learn_text(corpus(4000))
    assert {row.pair for row in pmi.top(6)} <= set(PARTNERS)
    avoided = pmi.top(5, sort="-pmi")
    assert all(row.pmi < 0 for row in avoided)
    assert [row.pmi for row in avoided] == sorted(row.pmi for row in avoided)


def test_exact_counts_are_exact():
    text = corpus(200)
    pmi = PMI(window=1, exact=True)
    pmi.learn_text(text)
    pairs, words = Counter(), Counter()
    for line in text.splitlines():
        pairs.update(pairwise(line.split()))
        words.update(line.split())
    assert {row.pair: row.count for row in pmi.most_common(10**6)} == dict(pairs)
    (u, v), count = pairs.most_common(1)[0]
    n, total = sum(words.values()), sum(pairs.values())
    assert pmi.exact_row(u, v).pmi == pytest.approx(math.log(count / total / (words[u] * words[v] / n**2)))
    assert pmi.exact_row(u, v).counts == (words[u], words[v])
    assert (pmi.tokens, pmi.pairs) == (n, total)


def test_the_count_beside_the_active_set_never_exceeds_the_true_one():
    pmi = PMI(width=512, active_set_size=64, exact=True)
    pmi.learn_text(corpus(3000))
    rows = pmi.top(64)
    assert all(row.count <= pmi.exact_row(*row.pair).count for row in rows)
    assert max(row.count for row in rows) > 500


def test_the_same_seed_gives_the_same_rows_in_any_chunks():
    text = corpus(500).encode()
    whole = PMI(seed=3)
    whole.learn_text(text)
    cut = PMI(seed=3)
    for at in range(0, len(text), 701):
        cut.learn_chunk(text[at : at + 701])
    cut.end_text()
    other = PMI(seed=4)
    other.learn_text(text)
    assert whole.top(500) == cut.top(500)
    assert whole.top(500) != other.top(500)


@pytest.mark.parametrize("token", ["words", r"\w+"])
@pytest.mark.parametrize(("within", "pairs"), [("line", 2), ("paragraph", 4), ("file", 7)])
def test_no_window_crosses_a_boundary(within, pairs, token):
    pmi = PMI(within=within, token=token, window=2)
    pmi.learn_text("a b\nc\n\nd e")
    assert pmi.pairs == pairs


def test_tokens_by_regular_expression():
    pmi = PMI(token=r"[a-z]+=\d+", window=1)
    pmi.learn_chunk(b"x=1 junk Y=")
    pmi.learn_chunk(b"2\nx=3")
    pmi.end_text()
    assert (pmi.tokens, pmi.pairs) == (3, 1)
    assert pmi.row("x=1", "y=2").count == 1
    with pytest.raises(ValueError, match="one of words, whitespace, lines, templates or a regular expression"):
        PMI(token="(")


def test_frequent_items_are_thinned_out():
    text = "the cat the dog the cow the hen\n" * 4000
    pmi = PMI(subsample=0.05)
    pmi.learn_text(text)
    assert pmi.tokens == 32000
    assert 0.2 < pmi._pairs.progress[1] / 32000 < 0.8


def test_a_budget_is_kept_with_names_of_any_length():
    draw = Random(1)
    for budget in ("16KiB", "100KB", "1MiB"):
        pmi = PMI(budget=budget, subsample=0 if budget == "16KiB" else 1e-3)
        before = pmi.nbytes
        for _ in range(300):
            pmi.learn_items(f"item{draw.randrange(10**6)}" * draw.randrange(1, 30) for _ in range(20))
        assert pmi.nbytes == before <= {"16KiB": 16384, "100KB": 100_000, "1MiB": 2**20}[budget]
        assert before > 0.99 * {"16KiB": 16384, "100KB": 100_000, "1MiB": 2**20}[budget]
    with pytest.raises(ValueError, match="budget must be at least"):
        PMI(budget="2KiB")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"window": 0}, "window must be at least 1, got 0"),
        ({"negatives": -1}, "negatives must be at least 0, got -1"),
        ({"subsample": 2.0}, "subsample must be from 0 to below 1, got 2"),
        ({"within": "page"}, "within must be one of line, paragraph, file, got 'page'"),
        ({"window_seconds": 0}, "window_seconds must be above 0, got 0"),
        ({"eta0": -1}, "eta0 must be above 0"),
    ],
)
def test_bad_settings_are_named(bad, message):
    with pytest.raises(ValueError, match=message):
        PMI(**bad)


def test_an_input_without_pairs_is_reported_and_gives_no_ranking():
    pmi = PMI()
    assert pmi.problem == "no items yet"
    pmi.learn_text("one\ntwo\n")
    assert pmi.problem == "2 items, but never two in one window: there are no pairs"
    same = PMI()
    same.learn_text("the the the")
    assert "all 3 items are the same" in (same.problem or "")
    assert pmi.top() == same.top() == []


# --- event logs ---


def learn_file(pmi: PMI, path: Path, columns: Columns) -> None:
    for _ in Inputs(pmi, [str(path)], columns).learn():
        pass


def log(path: Path, n: int = 4000) -> Path:
    """Interleaved events of hosts; on each host, 'write failed' follows 'disk full' within seconds."""
    draw = Random(2)
    rows, seconds = ["host,at,code"], 0.0
    for _ in range(n):
        seconds += draw.random() * 20
        host = draw.randrange(20)
        if draw.random() < 0.1:
            rows.append(f"h{host},{seconds:.3f},disk full")
            rows.append(f"h{(host + 7) % 20},{seconds + 0.5:.3f},code{draw.randrange(30)}")
            rows.append(f"h{host},{seconds + 1:.3f},write failed")
        else:
            rows.append(f"h{host},{seconds:.3f},code{draw.randrange(30)}")
    path.write_text("\n".join(rows) + "\n")
    return path


def test_groups_and_seconds_of_an_event_log(tmp_path):
    path = log(tmp_path / "log.csv")
    pmi = PMI(groups=64, window_seconds=5, exact=True)
    learn_file(pmi, path, Columns(items="code", group="host", time="at"))
    best = pmi.top(1)[0]
    assert best.pair == ("disk full", "write failed")
    assert best.count > 300
    no_time = PMI(groups=64, exact=True)
    learn_file(no_time, path, Columns(items="code", group="host"))
    assert no_time.pairs > 5 * pmi.pairs
    no_group = PMI(window=1)
    learn_file(no_group, path, Columns(items="code"))
    assert no_group.row("disk full", "write failed").count == 0


def test_a_column_of_text_and_rows_without_a_value(tmp_path):
    path = tmp_path / "news.tsv"
    path.write_text("id\tbody\n1\tprime minister speaks\n2\t\n3\tPrime Minister!\n")
    pmi = PMI(exact=True)
    learn_file(pmi, path, Columns(text="body"))
    assert pmi.exact_row("prime", "minister").count == 2
    assert pmi.exact_row("speaks", "prime").count == 0
    regex = PMI(token=r"\w+", exact=True)
    learn_file(regex, path, Columns(text="body"))
    assert regex.most_common() == pmi.most_common()


def test_a_bad_time_says_where(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("at,code\n2024-01-01 10:00:00,a\n2024-01-01 10:00:01Z,b\nsoon,c\n")
    pmi = PMI(window_seconds=1)
    with pytest.raises(BadInput, match=r'log.csv: row 3: expected a time .* found "soon"'):
        learn_file(pmi, path, Columns(items="code", time="at"))
    assert (pmi.tokens, pmi.pairs) == (2, 1)


def test_the_example_runs(capsys):
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "pmi_words.py"), run_name="__main__")
    assert "Words that occur together" in capsys.readouterr().out


def test_learn_one_many_and_file_are_the_same(tmp_path) -> None:
    lines = ["tea and milk", "tea and jam", "bread and jam"]
    (tmp_path / "text.txt").write_text("\n".join(lines))
    (tmp_path / "rows.csv").write_text("text\n" + "\n".join(lines) + "\n")
    many, one, items, file, table = (PMI(budget="1MiB") for _ in range(5))
    many.learn_many(lines)
    for line in lines:
        one.learn_one(line)
        items.learn_one(line.split())
    file.learn_file(tmp_path / "text.txt")
    table.learn_file([tmp_path / "rows.csv"], text="text")
    for other in (one, items, file, table):
        assert other.top(100) == many.top(100)
    with pytest.raises(TypeError, match="use learn_one"):
        many.learn_many("tea")


def test_a_line_for_a_regular_expression_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wmsketch.apps.pmi.regex.LONGEST_LINE", 1000)
    path = tmp_path / "text.txt"
    path.write_text("tea and milk\n" + "x" * 1001)
    pmi = PMI(budget="1MiB", token="[a-z]+")
    for _ in range(100):
        pmi.learn_chunk("a" * 9 + " ")
    with pytest.raises(ValueError, match="expected lines of at most 1,000 bytes, found a longer one"):
        pmi.learn_chunk("b")
    pmi.learn_text("tea and milk")
    assert pmi.row("tea", "and").count == 1
    with pytest.raises(BadInput, match=r"text\.txt: expected lines of at most 1,000 bytes"):
        pmi.learn_file(path)


def test_a_long_text_gives_the_bytes_of_its_pieces() -> None:
    text = corpus(3000)
    assert len(text) > 1 << 17  # so long that the classifier learns on a thread of its own
    whole, pieces = PMI(budget="256KiB"), PMI(budget="256KiB")
    whole.learn_text(text)
    for at in range(0, len(text), 9001):
        pieces.learn_chunk(text[at : at + 9001])
    pieces.end_text()
    assert whole.to_bytes() == pieces.to_bytes()


def test_the_name_of_a_column_may_contain_an_equals_sign(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("page,page=1\n" + "x,home\ny,cart\n" * 3)
    pmi = PMI(window=1)
    for block in open_examples(str(path), categorical=["page", "page=1"], require_labels=False):
        assert pmi.learn_block(block, items="page") is None
    assert {row.pair for row in pmi.top()} == {("x", "y"), ("y", "x")}
