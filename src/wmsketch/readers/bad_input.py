"""The one error of readers: which file, where in it, what was expected and what was found."""


class BadInput(ValueError):
    """Input that breaks its format; `file`, `line` and `column` (from 1) are None where they are unknown.

    `fault` says what a way out depends on: ``"row"``, ``"value"`` (one that contradicts its column), ``"label"`` (there
    is none), ``"encoding"``, or ``"file"``, where no row is to blame. Of a value, `value` is what stands in the file,
    and `name` its column, if that could be read as text.

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
    ):
        super().__init__(message, file, line, column)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.fault = fault
        self.name = name
        self.value = value

    def saying(self, message: str) -> "BadInput":
        """The same error in other words.

        >>> BadInput("found 'x'", "a.csv", 7, fault="value", name="price", value="x").saying("found an x").name
        'price'
        """
        return BadInput(message, self.file, self.line, self.column, fault=self.fault, name=self.name, value=self.value)

    @property
    def place(self) -> str:
        """Where it is, like train.svm:17:9."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message
