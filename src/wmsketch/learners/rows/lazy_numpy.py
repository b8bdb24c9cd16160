"""numpy, loaded on first use: a command that does not need it starts in half the time."""

from __future__ import annotations

import threading
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


def load_numpy_meanwhile() -> None:
    """Begin to load numpy on another thread, for a command whose answer needs it after all rows are read.

    The command ends after it: a thread that is stopped while it loads a module may end the process.
    """
    threading.Thread(target=lambda: np.ndarray, name="wmsketch-numpy").start()
