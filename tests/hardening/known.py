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


CAUSES = [
    # Nothing but the cache of counts has a checksum, and nobody asks for PRAGMA quick_check.
    Cause("damage", "a damaged store is read, and what SQLite does not stumble over is taken for true: rows have no checksums, and its check "
          "is not asked for",
          ((r"bytes of the store are overwritten", r"(another answer|a file that is not whole)"),)),
]


def cause_of(finding):
    """The known cause of a finding, or nothing."""
    for cause in CAUSES:
        if any(re.fullmatch(where, finding.disturbance) and re.fullmatch(what, finding.fault) for where, what in cause.faults):
            return cause
    return None


def is_known(finding):
    return cause_of(finding) is not None
