"""A trained model as source code of another language, which predicts and does not learn."""

from wmsketch.results.export.c_header import c_header
from wmsketch.results.export.frozen import CannotExport, FrozenModel, frozen
from wmsketch.results.export.js_module import js_module, js_reader

__all__ = ["CannotExport", "FrozenModel", "c_header", "frozen", "js_module", "js_reader"]
