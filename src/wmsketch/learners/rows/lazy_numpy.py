"""numpy, loaded on first use: a command that does not need it starts in half the time."""

from __future__ import annotations

import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["load_numpy_meanwhile", "np"]

if TYPE_CHECKING:
    import numpy as np
else:

    class _Numpy:
        """Looks like the module, and keeps each attribute after its first use."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            value = getattr(numpy, name)
            setattr(self, name, value)
            return value

    np = _Numpy()


def load_numpy_meanwhile(*modules: str) -> None:
    """Begin to load numpy, then other modules, on another thread, for an answer that needs them after all rows.

    The command ends after it: a thread that is stopped while it loads a module may end the process.
    """

    def load() -> None:
        for module in ("numpy", *modules):
            import_module(module)

    threading.Thread(target=load, name="wmsketch-numpy").start()
