"""Whether what a command printed is what its page shows.

A shown line `...` stands for any lines, or none. `~` before a number or name stands for any other (one that differs from machine to
machine); in such a line, and in one without a digit, any number of spaces is as good as another. Everything else is compared as it is, but for spaces at the
end of lines and empty lines at both ends.
"""
import re

ANY_LINES = "..."
ANY_WORD = re.compile(r"~[\w.+-]+")


def trimmed(lines):
    lines = [line.rstrip() for line in lines]
    while lines and not lines[0]:
        lines = lines[1:]
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def line_matches(shown, printed):
    if shown == printed:
        return True
    if not re.search(r"\d", shown) and shown.split() == printed.split():
        return True  # a heading, whose spaces are those of the figures below
    if not ANY_WORD.search(shown):
        return False
    words = [r"[\w.+-]+".join(re.escape(part) for part in ANY_WORD.split(word)) for word in shown.split()]
    return re.fullmatch(r"\s+".join(words), printed.strip()) is not None


def split_at_any(shown):
    """The runs of lines between the lines `...`; an empty one stands at an end that is open."""
    runs = [[]]
    for line in shown:
        if line.strip() == ANY_LINES:
            runs.append([])
        else:
            runs[-1].append(line)
    return runs


def matching_prefix(run, printed, at):
    count = 0
    while count < len(run) and at + count < len(printed) and line_matches(run[count], printed[at + count]):
        count += 1
    return count


def fault_at(run, printed, at):
    """Why a run of lines does not stand at a place of the output; nothing where it does."""
    count = matching_prefix(run, printed, at)
    if count == len(run):
        return None
    there = f"printed is   | {printed[at + count]}" if at + count < len(printed) else "the output ends there"
    return f"the page has | {run[count]}\n    {there}"


def find_run(run, printed, start):
    """The first place of a run from `start` on, or the fault at the place where most of it stands."""
    best_at, best = start, -1
    for at in range(start, len(printed) - len(run) + 1):
        count = matching_prefix(run, printed, at)
        if count == len(run):
            return at, None
        if count > best:
            best_at, best = at, count
    if best <= 0:
        return start, f"not printed  | {run[0]}"
    return best_at, fault_at(run, printed, best_at)


def difference(shown, printed):
    """What differs between the lines of a page and those that were printed, or nothing."""
    printed = trimmed(printed)
    runs = split_at_any(trimmed(shown))
    at = len(runs[0])
    fault = fault_at(runs[0], printed, 0)
    for run in runs[1:-1]:
        if fault:
            return fault
        found, fault = find_run(run, printed, at)
        at = found + len(run)
    if fault:
        return fault
    if len(runs) == 1:
        return None if at == len(printed) else f"printed too  | {printed[at]}"
    return end_fault(runs[-1], printed, at)


def end_fault(run, printed, at):
    """Why the last run, after `...`, is not how the output ends."""
    if not run:
        return None
    if len(printed) - len(run) < at:
        return f"not printed  | {run[0]}"
    return fault_at(run, printed, len(printed) - len(run))


def headings(shown):
    """The lines of a block `varies` that are compared: those without a digit, rulers and `...` left out."""
    lines = [" ".join(line.split()) for line in shown]
    return [line for line in lines if line and line != ANY_LINES and not re.search(r"\d", line) and re.search(r"[^-\s]", line)]


def missing_heading(shown, printed):
    """What is wrong with the headings of a block `varies`, or nothing. They must be printed in the page's order."""
    wanted = headings(shown)
    if not wanted and trimmed(shown):
        return "no line without a digit: nothing to compare"
    rest = iter(" ".join(line.split()) for line in printed)
    for heading in wanted:
        if heading not in rest:
            return f"not printed  | {heading}"
    return None
