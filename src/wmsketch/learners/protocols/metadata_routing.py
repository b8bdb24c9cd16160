"""scikit-learn's metadata routing: which arguments besides X and y a pipeline passes on."""

from __future__ import annotations

from typing import Any, ClassVar, Self

_UNCHANGED = "$UNCHANGED$"  # scikit-learn's own word
Request = bool | str | None


class MetadataRouting:
    """`set_fit_request` and similar methods, as scikit-learn's own estimators have them."""

    _requests: ClassVar[dict[str, tuple[str, ...]]] = {
        "fit": ("sample_weight", "shuffle", "times"),
        "partial_fit": ("classes", "sample_weight", "times"),
        "score": ("sample_weight",),
    }
    _metadata_request: Any

    def get_metadata_routing(self) -> Any:
        """Return which arguments were asked for (scikit-learn)."""
        import copy

        from sklearn.utils.metadata_routing import MetadataRequest

        if hasattr(self, "_metadata_request"):
            return copy.deepcopy(self._metadata_request)
        requests = MetadataRequest(owner=self)
        for method, names in self._requests.items():
            for name in names:
                getattr(requests, method).add_request(param=name, alias=None)
        return requests

    def set_fit_request(
        self, *, sample_weight: Request = _UNCHANGED, shuffle: Request = _UNCHANGED, times: Request = _UNCHANGED
    ) -> Self:
        """Say which arguments a pipeline or a search should pass to `fit` (scikit-learn)."""
        return self._request("fit", sample_weight=sample_weight, shuffle=shuffle, times=times)

    def set_partial_fit_request(
        self, *, classes: Request = _UNCHANGED, sample_weight: Request = _UNCHANGED, times: Request = _UNCHANGED
    ) -> Self:
        """Say which arguments should be passed to `partial_fit` (scikit-learn)."""
        return self._request("partial_fit", classes=classes, sample_weight=sample_weight, times=times)

    def set_score_request(self, *, sample_weight: Request = _UNCHANGED) -> Self:
        """Say which arguments should be passed to `score` (scikit-learn)."""
        return self._request("score", sample_weight=sample_weight)

    def _request(self, method: str, **wanted: Request) -> Self:
        import sklearn

        if not sklearn.get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "This method is only available when metadata routing is enabled. You can enable it using "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        requests = self.get_metadata_routing()
        for name, alias in wanted.items():
            if alias != _UNCHANGED:
                getattr(requests, method).add_request(param=name, alias=alias)
        self._metadata_request = requests
        return self
