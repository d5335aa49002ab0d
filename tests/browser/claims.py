"""Counts what a check found to hold."""

count = 0


def claim(is_true, what):
    """One thing that must hold."""
    global count
    count += 1
    if not is_true:
        raise AssertionError(what)
