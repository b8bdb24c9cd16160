"""The configuration of a learner as files have it: store and step in one word, as the first versions wrote them."""

from __future__ import annotations

from typing import Any

_ADAPTIVE = "adaptive_"
_BEFORE_TAGS = ("cells", "shared")  # what files do not say, because there was nothing else


def config_out(config: dict[str, Any]) -> dict[str, Any]:
    """Return what a file says of a configuration.

    >>> config_out({"kind": "awm", "step": "newton", "width": 8})
    {'kind': 'adaptive_awm', 'width': 8, 'newton': True}
    """
    saved = {name: value for name, value in config.items() if name != "step" and (name, value) != _BEFORE_TAGS}
    if config["step"] != "plain":
        saved["kind"] = _ADAPTIVE + saved["kind"]
    return {**saved, "newton": True} if config["step"] == "newton" else saved


def config_in(saved: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration that a file describes.

    >>> config_in({"kind": "adaptive_awm", "width": 8})
    {'cells': 'shared', 'kind': 'awm', 'width': 8, 'step': 'adaptive'}
    """
    kind, newton = saved.get("kind"), saved.get("newton", False)
    adaptive = isinstance(kind, str) and kind.startswith(_ADAPTIVE)
    if not isinstance(newton, bool) or (newton and not adaptive) or "step" in saved:
        raise ValueError("config does not hold the sizes and the rule of a learner")
    config = {**dict([_BEFORE_TAGS]), **{name: value for name, value in saved.items() if name != "newton"}}
    if isinstance(kind, str):
        config["kind"] = kind.removeprefix(_ADAPTIVE)
    return {**config, "step": "newton" if newton else "adaptive" if adaptive else "plain"}
