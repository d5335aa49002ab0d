"""The shared library by ctypes: its functions with types, and where it is found."""

from __future__ import annotations

import ctypes
import functools
import json
import os
from pathlib import Path
from typing import Any

PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
NOTE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)

_NAME = "libupsweep.so.0"


class Watch(ctypes.Structure):
    """struct upsweep_watch."""

    _fields_ = [("user", ctypes.c_void_p), ("progress", PROGRESS), ("note", NOTE), ("stop", ctypes.c_void_p)]


def _candidates() -> list[str]:
    """Where the library may be: as the environment says, beside this file, in the prefix of this file, in the system."""
    if os.environ.get("UPSWEEP_LIBRARY"):
        return [os.environ["UPSWEEP_LIBRARY"]]
    here = Path(__file__).resolve().parent
    places = [here, *(place for base in list(here.parents)[:4] for place in (base, *base.glob("*-linux-gnu")))]
    return [*(str(place / _NAME) for place in places if (place / _NAME).exists()), _NAME]


@functools.cache
def library() -> ctypes.CDLL:
    """The library, loaded when it is first needed. Calls release the interpreter lock. Raises ImportError."""
    failures = []
    for path in _candidates():
        try:
            found = ctypes.CDLL(path)
            break
        except OSError as error:
            failures.append(str(error))
    else:
        raise ImportError("the library of upsweep is not found (UPSWEEP_LIBRARY names it): " + "; ".join(failures))
    handle, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    handles, length = ctypes.POINTER(handle), ctypes.POINTER(size)
    for name, result, arguments in [
        ("upsweep_version", text, []),
        ("upsweep_commands", text, []),
        ("upsweep_input_file", handle, [text]),
        ("upsweep_input_bytes", handle, [text, text, size]),
        ("upsweep_input_add", ctypes.c_int, [handle, text, text, size]),
        ("upsweep_input_close", None, [handle]),
        ("upsweep_stop_new", handle, []),
        ("upsweep_stop_request", None, [handle]),
        ("upsweep_stop_close", None, [handle]),
        ("upsweep_run", handle, [text, handles, size, text, ctypes.POINTER(Watch)]),
        ("upsweep_result_code", ctypes.c_int, [handle]),
        ("upsweep_result_message", text, [handle]),
        ("upsweep_result_text", handle, [handle, text, length]),
        ("upsweep_result_close", None, [handle]),
        ("upsweep_program", ctypes.c_int, [ctypes.c_int, ctypes.POINTER(text)]),
    ]:
        function = getattr(found, name)
        function.restype, function.argtypes = result, arguments
    return found


def version() -> str:
    """Version, commit and what the library was built with."""
    return library().upsweep_version().decode()


@functools.cache
def commands() -> dict[str, dict[str, Any]]:
    """All commands of the library by name, with their arguments, descriptions and settings."""
    return {command["name"]: command for command in json.loads(library().upsweep_commands())}
