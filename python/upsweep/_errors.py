"""What is raised: by the codes of the library."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """A command that did not come to its end; `result` is what it found nevertheless, or None."""

    code = 1

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class UsageError(Error, ValueError):
    """A command or a setting is wrong; found before any work."""

    code = 2


class InputError(Error, ValueError):
    """A file is wrong, or a setting that does not fit it."""

    code = 3


class BackendError(Error, RuntimeError):
    """A device is not there or failed, memory does not suffice, or a database is in use."""

    code = 4


class MismatchError(Error, ArithmeticError):
    """A validation found a result that differs; `result` says which."""

    code = 5


class Interrupted(Error):
    """Stopped by a progress function; `result` has what was done until then."""

    code = 130


def code_error(code: int, message: str, result: Any = None) -> Error:
    """The exception of a code."""
    for kind in (UsageError, InputError, BackendError, MismatchError, Interrupted):
        if kind.code == code:
            return kind(message, result)
    return Error(message, result)
