"""Ctrl-C during a call of the library, which holds the main thread: the interpreter notes the signal, and writes its
number to a socket that a thread of this module reads."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator


class _Watcher:
    """Reads the numbers of signals and stops the call under way on SIGINT."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stop: Callable[[], None] | None = None
        self._reader, self.writer = socket.socketpair()
        self.writer.setblocking(False)
        threading.Thread(target=self._read, name="upsweep-interrupts", daemon=True).start()

    def _read(self) -> None:
        while numbers := self._reader.recv(64):
            with self._lock:
                if signal.SIGINT in numbers and self._stop is not None:
                    self._stop()

    def watch(self, stop: Callable[[], None] | None) -> None:
        """What stops from now on."""
        with self._lock:
            self._stop = stop


_watcher: _Watcher | None = None


def _leave_to_the_watcher(_number: int, _frame: object) -> None:
    """No exception amid a function that the library calls."""


def _forget() -> None:
    """A forked process has no thread that reads."""
    global _watcher
    _watcher = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@contextlib.contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `stop` while this lasts, and raises nothing by itself. Nothing is done on other threads than the main
    one, and where Ctrl-C or signals are somebody else's (asyncio)."""
    global _watcher
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    if _watcher is None:
        _watcher = _Watcher()
    before = signal.set_wakeup_fd(_watcher.writer.fileno(), warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        yield
        return
    _watcher.watch(stop)
    signal.signal(signal.SIGINT, _leave_to_the_watcher)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.set_wakeup_fd(-1)
        _watcher.watch(None)
