"""The error of readers: the file, the position, what was expected and what was found."""

from collections.abc import Iterable

from wmsketch.errors import CodedError, Say, say_in_python


class BadInput(CodedError, ValueError):
    """Input that breaks its format; `file`, `line` and `column` (from 1) are None if unknown.

    `code` is the kind of problem: ``"row"``, ``"value"`` (contradicts its column), ``"shape"`` (a line that is no row
    of the table), ``"label"`` (missing), ``"third_label"``, ``"which_positive"`` (cannot be decided),
    ``"encoding"``, ``"column"`` (does not exist), or ``"file"`` if no row is the cause. For a value, `value` is the
    text in the file and `name` its column, if that could be read as text. For a missing column, `name` is its name,
    `option` the option that names it, and `value` the column that differs from it only by blanks.

    >>> print(BadInput('expected a feature like 12:0.5, found "x7"', "train.svm", 17, 9))
    train.svm:17:9: expected a feature like 12:0.5, found "x7"
    """

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        *,
        fault: str = "file",
        name: str = "",
        value: str = "",
        option: str = "",
    ):
        super().__init__(message, file, line, column)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.code = fault
        self.name = name
        self.value = value
        self.option = option

    @property
    def fault(self) -> str:
        """The same as `code`."""
        return self.code

    def about(self, option: str) -> "BadInput":
        """Return the same error for another option, for a caller with other option names.

        >>> print(BadInput("there is no column 'x'", "a.csv", option="features").about("outlier"))
        a.csv: outlier: there is no column 'x'
        """
        fields = {"fault": self.code, "name": self.name, "value": self.value, "option": option}
        return BadInput(self.message, self.file, self.line, self.column, **fields)

    def as_asked(self, **columns: Iterable[str]) -> "BadInput":
        """Return the same error, with the option that names the missing column.

        >>> problem = BadInput("there is no column 'x'", "a.csv", fault="column", name="x", option="features")
        >>> print(problem.as_asked(group=["y"], items=["x"]))
        a.csv: items: there is no column 'x'
        """
        if self.code == "column" and self.option in ("features", "categorical"):
            for option, names in columns.items():
                if self.name in names:
                    return self.about(option)
        return self

    @property
    def place(self) -> str:
        """The position, like train.svm:17:9."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)

    def told(self, say: Say = say_in_python) -> str:
        """Return the message, with the option as the caller writes it."""
        option = f"{say(self.option)}: " if self.option else ""
        return f"{self.place}: {option}{self.message}" if self.place else f"{option}{self.message}"
