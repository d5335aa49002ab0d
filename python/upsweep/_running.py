"""Runs a command of the library, with progress and notes."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

from ._errors import Error, code_error
from ._inputs import Handle, array_of, as_json
from ._interrupts import stopping
from ._library import NOTE, PROGRESS, Watch, commands, library
from ._results import Result

Progress = Callable[[str], Any]


class _Bar:
    """What is under way as a line of tqdm, there while something is."""

    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(total=None, bar_format="{desc} [{elapsed}]", leave=False)

    def __call__(self, doing: str) -> None:
        self._bar.set_description_str(doing)

    def close(self) -> None:
        self._bar.close()


def _bar() -> _Bar | None:
    """A bar where tqdm is installed and somebody may look."""
    is_notebook = "ipykernel" in sys.modules
    if not is_notebook and not (sys.stderr and sys.stderr.isatty()):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm)


class _Call:
    """One call of upsweep_run(), with what must live as long as it."""

    def __init__(self, command: str, handles: list[Handle], settings: dict[str, Any], progress: Progress | None) -> None:
        self.notes: list[str] = []
        self.failure: BaseException | None = None
        self.is_interrupted = False
        self.result = None
        self._command, self._handles = command.encode(), handles
        self._inputs, self._settings = array_of(handles), as_json(settings).encode()
        self._progress = progress
        self._stop = library().upsweep_stop_new()
        # Without a progress function the library need not come back into the interpreter.
        self._watch = Watch(None, PROGRESS(self._show) if progress else PROGRESS(), NOTE(self._note), self._stop)

    def _show(self, _user: Any, doing: bytes) -> int:
        try:
            return 1 if self._progress(doing.decode(errors="replace")) is False else 0
        except BaseException as error:  # raised again where the call was made
            self.failure = error
            return 1

    def _note(self, _user: Any, note: bytes) -> None:
        self.notes.append(note.decode(errors="replace"))

    def __call__(self) -> None:
        self.result = library().upsweep_run(self._command, self._inputs, len(self._handles), self._settings,
                                            ctypes.byref(self._watch))

    def interrupt(self) -> None:
        """After Ctrl-C."""
        self.is_interrupted = True
        library().upsweep_stop_request(self._stop)

    def close(self) -> None:
        library().upsweep_stop_close(self._stop)


def run(command: str, *inputs: Any, example_input: Any = None, progress: Progress | bool | None = None,
        **settings: Any) -> Result:
    """Runs any command of the library: run("explain", "model.yaml", schedule="hybrid:1").

    inputs: files, models in memory, torch modules. settings: options of the command line by name.
    progress: a function that is told what is under way, and stops the command by returning False; True or None: a line
    of tqdm where that is installed and a person may look; False: nothing.

    Raises UsageError, InputError, BackendError, MismatchError and Interrupted; KeyboardInterrupt after Ctrl-C.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    if _has_format(command):
        given.setdefault("format", "json")  # of studies this has the points too
    bar = _bar() if progress is None or progress is True else None
    shown = progress if callable(progress) else bar
    handles: list[Handle] = []
    try:
        for model in inputs:
            handles.append(Handle(model, example_input))
        call = _Call(command, handles, given, shown)
        try:
            with stopping(call.interrupt):
                call()
        finally:
            call.close()
    finally:
        for handle in handles:
            handle.close()
        if bar:
            bar.close()
    return _result_of(command, call)


def _has_format(command: str) -> bool:
    found = commands().get(command)
    return found is not None and any(setting["name"] == "format" for setting in found["settings"])


def _result_of(command: str, call: _Call) -> Result:
    if not call.result:
        raise Error("out of memory")
    result = Result(command, call.result, call.notes)
    code = library().upsweep_result_code(call.result)
    if call.failure is not None:
        raise call.failure
    if call.is_interrupted:
        raise KeyboardInterrupt
    if code != 0:
        message = library().upsweep_result_message(call.result).decode(errors="replace")
        raise code_error(code, message, result if result._read() else None)
    return result
