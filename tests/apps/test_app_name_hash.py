"""Apps hash names with their seed, and continue with it after loading."""

import pytest

from wmsketch.apps import PMI, Diff, Explainer

TEXT = "tea and milk and tea and jam\n" * 20
ROWS = [{"ms": 10 * (i % 9), "host": f"h{i % 4}", "zone": "ab"[i % 2]} for i in range(200)]


def explainer(seed: int = 0) -> Explainer:
    return Explainer("ms>60", budget="64KiB", seed=seed)


def diff(seed: int = 0) -> Diff:
    return Diff("16KiB", seed=seed)


def pmi(seed: int = 0) -> PMI:
    return PMI(budget="64KiB", seed=seed)


def learn(app):
    if isinstance(app, Explainer):
        app.learn_many(ROWS)
    elif isinstance(app, Diff):
        app.learn_many(["tea"] * 60 + ["milk"] * 9, ["tea"] * 20 + ["jam"] * 40)
    else:
        app.learn_text(TEXT)
    return app


def keys_of(app) -> set[int]:
    if isinstance(app, Explainer):
        return set(app.finished()._stream.held()[0]["key"].tolist())
    rows = app.rows() if isinstance(app, Diff) else app.top(50)
    return {row.key for row in rows}


MAKERS = [explainer, diff, pmi]


@pytest.mark.parametrize("make", MAKERS)
def test_another_seed_makes_other_keys_of_the_same_names(make) -> None:
    assert keys_of(learn(make(1))).isdisjoint(keys_of(learn(make(2))))
    assert keys_of(learn(make(1))) == keys_of(learn(make(1)))


@pytest.mark.parametrize("make", MAKERS)
def test_a_loaded_app_goes_on_with_the_keys_it_has(make, tmp_path) -> None:
    app = learn(make(7))
    path = tmp_path / "app.wms"
    app.save(path)
    loaded = type(app).load(path)
    assert keys_of(learn(loaded)) == keys_of(app)
    with pytest.raises(ValueError, match="seed differs"):
        loaded.merge(make(8))


def test_rows_hashed_with_another_seed_are_hashed_again(tmp_path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("ms,host\n" + "".join(f"{row['ms']},{row['host']}\n" for row in ROWS))
    found = []
    for reader in (explainer(5), explainer(6)):
        app = explainer(5)
        with reader.open(path) as blocks:
            for block in blocks:
                app.learn_block(block)
        app.finish_warm_up()
        found.append(keys_of(app))
    assert found[0] == found[1]
