"""Findings of reports/hardening.md that are not mended yet, by cause. The quick check does not fail of exactly these.

Whoever mends a cause takes it out of here.
"""
import dataclasses
import re


@dataclasses.dataclass
class Cause:
    name: str
    sentence: str
    faults: tuple  # of (disturbance, fault): patterns of their whole names


SIGNALS = r"SIG(TERM|INT|HUP) at .*"
ALLOCATIONS = r"(one allocation fails|all allocations fail from one on)"
CAUSES = [
    # main() ends with 1 and says nothing where the message takes memory, and while commands are declared; figure.cpp reads JSON at
    # every start, whose destructors take memory.
    Cause("memory", "where memory ends while commands are declared, or is not there for the message, main() ends with 1 and says nothing; "
          "destructors of JSON values need memory, and the program aborts in them (those of the figures' templates, which every start "
          "reads, at the exit, too), which leaves files",
          ((ALLOCATIONS, r"exit code 1 without a word"), (ALLOCATIONS, r"crash by signal 6"), (ALLOCATIONS, r"left over: .*"),
           (r"all allocations fail from one on", r"the error does not name its cause"))),
    # Sqlite::fail() throws InputError for SQLITE_NOMEM.
    Cause("SQLite's memory", "where SQLite gets no memory the command ends with 3, as if the database were wrong, not with 4",
          ((ALLOCATIONS, r"exit code 3 for want of memory"),)),
    # on_interrupt() is _exit(), SIGTERM and SIGHUP have no handler but in studies, which have none for SIGHUP.
    Cause("signals", "SIGINT, SIGTERM and SIGHUP end a command at once, with its temporary files; studies have no answer to SIGHUP",
          ((SIGNALS, r"left over: (a temporary folder|an output's temporary file|a database that is being made|a study's lock file)"),)),
    # StudyStore::forget() is a transaction of its own before the first new point.
    Cause("answers", "a complete study with invalid points that is started again loses its answers and these points first, and has them "
          "again at its end only",
          ((r".*", r"answers and invalid points that were there are gone until the study ends"),)),
    # std::filesystem::remove_all() opens the folder.
    Cause("removing", "a temporary folder cannot be removed without one more open file",
          ((r"a file cannot be opened \(too many open\)", r"left over: a temporary folder"),)),
    # Nothing but the cache of counts has a checksum, and nobody asks for PRAGMA quick_check.
    Cause("damage", "a damaged store is read, and what SQLite does not stumble over is taken for true: rows have no checksums, and its check "
          "is not asked for",
          ((r"bytes of the store are overwritten", r"(another answer|a file that is not whole)"),)),
    # give() of node_process.cpp ends the program's text where a write fails.
    Cause("Node.js", "a write to Node.js that fails is not said: it gets a part of its program, and its words are the error, with exit code 1",
          ((r"a write fails .*", r"exit code 1"),)),
]


def cause_of(finding):
    """The known cause of a finding, or nothing."""
    for cause in CAUSES:
        if any(re.fullmatch(where, finding.disturbance) and re.fullmatch(what, finding.fault) for where, what in cause.faults):
            return cause
    return None


def is_known(finding):
    return cause_of(finding) is not None
