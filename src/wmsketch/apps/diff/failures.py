"""Whether a line of a log tells of a failure: by its level, its status, or the name of an exception."""

from __future__ import annotations

import re

_STATUS = re.compile(r" (\d{3})$")  # of an access log: other numbers are <num>
_UNKNOWN_REQUESTS = ("501", "505")  # the server does not know the method or the version: as 404, the client's fault
_WORD = re.compile(
    r"\b(?:err|error|errors|fatal|crit|critical|severe|alert|emerg|emergency|panic|fail|fails|failed|failure|failures)\b"
    r"|\b(?:unable|cannot|denied|refused)\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(r"[A-Za-z](?:Error|Exception)\b|^[EF]<num> ")  # and the levels of Kubernetes: E0517


def tells_failure(template: str) -> bool:
    """Return whether the template of a line tells of a failure.

    In an access log the status decides: 500 and above is a failure of the server, 404 a mistake of the client.

    >>> [tells_failure(text) for text in ("GET /cart/<num> 503", "GET /error.html 404", "<time> ERROR no disk")]
    [True, False, True]
    >>> tells_failure("java.io.IOException: closed"), tells_failure("<time> INFO started")
    (True, False)
    """
    status = _STATUS.search(template)
    if status is not None:
        return status[1] >= "500" and status[1] not in _UNKNOWN_REQUESTS
    return bool(_WORD.search(template) or _EXCEPTION.search(template))
