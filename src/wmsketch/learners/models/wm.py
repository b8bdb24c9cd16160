"""The WM-Sketch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from wmsketch.learners.models.awm import is_exact
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.protocols.checks import require_flag, require_real
from wmsketch.learners.protocols.options import ActiveSet, HashFamily, Step
from wmsketch.learners.sizes.shapes import Shape, Wanted, choose_shape


@dataclass(eq=False, repr=False)
class WMSketch(OnlineClassifier):
    """The paper's basic sketch: all weights in ``depth`` rows of ``width`` cells; a passive set follows the heaviest.

    Predicts with the mean over rows and estimates a weight by the median. All weights are estimates. With adaptive
    steps a cell is a 16-bit weight and a 16-bit sum of squared gradients. The other parameters are those of
    `AWMSketch`.

    >>> model = WMSketch(depth=3, width=128, active_set_size=16)
    >>> model.learn_many([{7: 1.0}, {9: 1.0}], [True, False])
    >>> round(model.weight(7), 3), round(model.weight(9), 3)
    (0.05, -0.051)

    Parameters
    ----------
    averaged: answer `weight` and `top` from the average of all iterates (Theorem 2; plain steps). Predictions still
        come from the current one.
    project: keep the sketch in the l2 ball of this radius (Theorem 2; plain steps); 0 does not.
    """

    kind: ClassVar[str] = "wm"

    budget: int | str | None = None
    depth: int | None = field(default=None, kw_only=True)
    width: int | None = field(default=None, kw_only=True)
    active_set_size: int | None = field(default=None, kw_only=True)
    active_set: ActiveSet = field(default="associative", kw_only=True)
    step: Step = field(default="plain", kw_only=True)
    name_bytes: int | str | None = field(default=None, kw_only=True)
    hash_family: HashFamily = field(default="mixer", kw_only=True)
    independence: int = field(default=8, kw_only=True)
    averaged: bool = field(default=False, kw_only=True)
    project: float = field(default=0.0, kw_only=True)

    def _shape(self, named: bool, reserved: int = 0) -> Shape:
        base = Shape(
            self.kind,
            str(self.step),
            exact_set=is_exact(self.active_set),
            hash_family=self.hash_family,
            independence=self.independence,
            averaged=require_flag("averaged", self.averaged),
        )
        wanted = Wanted(self.budget, self.depth, self.width, self.active_set_size, self.name_bytes, reserved=reserved)
        return choose_shape(base, wanted, named=named, set_share=0.25, depth=3)

    def _options(self) -> dict[str, Any]:
        return {"project": require_real("project", self.project)}
