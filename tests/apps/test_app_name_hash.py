"""Apps hash names with their seed, and apps from older files continue without one."""

import pytest

from wmsketch.apps import PMI, Deltoids, Explainer

TEXT = "tea and milk and tea and jam\n" * 20
ROWS = [{"ms": 10 * (i % 9), "host": f"h{i % 4}", "zone": "ab"[i % 2]} for i in range(200)]


def explainer(seed: int = 0, hash: int = 2) -> Explainer:
    made = Explainer.__new__(Explainer)
    made._name_hash = hash
    made.__init__("ms>60", budget="64KiB", seed=seed)  # type: ignore[misc]
    return made


def deltoids(seed: int = 0, hash: int = 2) -> Deltoids:
    made = Deltoids("16KiB", seed=seed)
    made._name_hash = hash
    return made


def pmi(seed: int = 0, hash: int = 2) -> PMI:
    made = PMI.__new__(PMI)
    made._name_hash = hash
    made.__init__(budget="64KiB", seed=seed)  # type: ignore[misc]
    return made


def learn(app):
    if isinstance(app, Explainer):
        app.learn_many(ROWS)
    elif isinstance(app, Deltoids):
        app.learn_many(["tea"] * 60 + ["milk"] * 9, ["tea"] * 20 + ["jam"] * 40)
    else:
        app.learn_text(TEXT)
    return app


def keys_of(app) -> set[int]:
    if isinstance(app, Explainer):
        return set(app._stream.held()[0]["key"].tolist())
    rows = app.rows() if isinstance(app, Deltoids) else app.top(50)
    return {row.key for row in rows}


MAKERS = [explainer, deltoids, pmi]


@pytest.mark.parametrize("make", MAKERS)
def test_another_seed_makes_other_keys_of_the_same_names(make) -> None:
    assert keys_of(learn(make(1))).isdisjoint(keys_of(learn(make(2))))
    assert keys_of(learn(make(1))) == keys_of(learn(make(1)))


@pytest.mark.parametrize("make", MAKERS)
def test_an_app_from_before_goes_on_with_the_keys_it_has(make, tmp_path) -> None:
    old = learn(make(7, hash=1))
    assert keys_of(old) == keys_of(learn(make(8, hash=1)))
    path = tmp_path / "old.wms"
    old.save(path)
    loaded = type(old).load(path)
    assert keys_of(learn(loaded)) == keys_of(old)
    with pytest.raises(ValueError, match="name_hash differs"):
        loaded.merge(make(7))


def test_rows_hashed_without_the_seed_are_hashed_again(tmp_path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("ms,host\n" + "".join(f"{row['ms']},{row['host']}\n" for row in ROWS))
    found = []
    for reader in (explainer(5), explainer(5, hash=1)):
        app = explainer(5)
        with reader.open(path) as blocks:
            for block in blocks:
                app.learn_block(block)
        app.finish_warm_up()
        found.append(keys_of(app))
    assert found[0] == found[1]
