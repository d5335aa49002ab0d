"""The program: python3 -m upsweep search model.yaml."""

from __future__ import annotations

import ctypes
import os
import sys

from ._library import library


def main() -> int:
    """Runs the command line of this process, as the program does. The exit code; a signal may end the process."""
    words = [os.fsencode(word) for word in ["upsweep", *sys.argv[1:]]]
    return library().upsweep_program(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None))


if __name__ == "__main__":
    sys.exit(main())
