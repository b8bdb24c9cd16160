"""The one error of readers: which file, where in it, what was expected and what was found."""


class BadInput(ValueError):
    """Input that breaks its format; `file`, `line` and `column` (from 1) are None where they are unknown.

    >>> print(BadInput('expected a feature like 12:0.5, found "x7"', "train.svm", 17, 9))
    train.svm:17:9: expected a feature like 12:0.5, found "x7"
    """

    def __init__(self, message: str, file: str | None = None, line: int | None = None, column: int | None = None):
        super().__init__(message, file, line, column)
        self.message = message
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return f"{place}: {self.message}" if place else self.message
