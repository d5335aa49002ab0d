"""Forced failures: every disturbance of every command, and what comes of it."""
import dataclasses
import os
import pathlib
import re
import time

import disturbances
from judge import afterwards_faults, faults_of
from normal import normal_text
from scene import CALIBRATE, CASES, Reference, case_of
from stores import Violation

MOST_EXAMPLES = 4


@dataclasses.dataclass
class Finding:
    """Faults of one kind by one kind of disturbance."""

    disturbance: str
    fault: str
    count: int
    commands: set
    shown: dict = dataclasses.field(default_factory=dict)  # by what it showed, but for numbers: a command line, and that

    @property
    def examples(self):
        return list(self.shown.values())[:MOST_EXAMPLES]


class Findings:
    """All faults, put together; and how many trials there were."""

    def __init__(self):
        self.found = {}
        self.trials = {}

    def tried(self, disturbance):
        self.trials[disturbance] = self.trials.get(disturbance, 0) + 1

    def add(self, disturbance, fault, command, how):
        key = (disturbance, fault.kind)
        finding = self.found.setdefault(key, Finding(*key, 0, set()))
        finding.count += 1
        finding.commands.add(command)
        finding.shown.setdefault(re.sub(r"\d+", "N", fault.text), f"`{how}`: {fault.text}")

    def of(self, disturbance):
        return [one for one in self.found.values() if one.disturbance == disturbance]


def try_one(scene, case, reference, disturbance, findings, is_run_again=True):
    """Runs a case once with the disturbance and once more without."""
    folder = scene.fresh_folder()
    ended = disturbance.run(scene, case, folder)
    state = scene.look(case, folder, not disturbance.store_lost)
    findings.tried(disturbance.kind)
    faults = faults_of(case, disturbance, ended, reference, state)
    if is_run_again and not disturbance.store_lost:
        again = scene.run(case.arguments(), folder)
        faults += afterwards_faults(case, again, scene.look(case, folder), reference, state.rows == reference.before.rows)
    for fault in faults:
        findings.add(disturbance.kind, fault, case.name, f"{disturbance.how} upsweep {case.line}")


def trials_of(scene, case, generator, make, wanted):
    """The disturbances of a case; a slow one has fewer."""
    reference = scene.reference(case, disturbances.CALLS)
    return list(make(scene, case, reference, generator, wanted if reference.duration < 0.2 or wanted == 1 else (wanted + 1) // 2))


def force(scene, generator, findings, say):
    """All of them: the full run."""
    for case in CASES:
        reference = scene.reference(case, disturbances.CALLS)
        before = sum(findings.trials.values())
        for make, wanted in disturbances.ALL:
            for disturbance in trials_of(scene, case, generator, make, wanted):
                try_one(scene, case, reference, disturbance, findings)
        say(f"{case.name}: {sum(findings.trials.values()) - before} trials, {len(findings.found)} findings up to here")
    case = case_of("search")
    try_one(scene, case, scene.reference(case), disturbances.always_busy(), findings)
    say("a store that is locked for good: done")


def force_some(scene, generator, findings, commands):
    """Each disturbance of some commands that are fast: the test."""
    fast = [case for case in CASES if case.name not in ("validate", "train", "plot")]
    for make, _ in disturbances.ALL:
        for case in generator.sample(fast, min(commands, len(fast))):
            reference = scene.reference(case, disturbances.CALLS)
            for disturbance in trials_of(scene, case, generator, make, 1):
                try_one(scene, case, reference, disturbance, findings)


def force_calibrate(scene, generator, findings, say):
    """A calibration takes most of a minute: one signal, and one that cannot put its file where it belongs."""
    folder = scene.fresh_folder()
    before = scene.look(CALIBRATE, folder)
    count = os.path.join(scene.looked, "count")
    start = time.monotonic()
    ended = scene.run(CALIBRATE.arguments(), folder, scene.failing("rename", 0, count=count))
    if ended.code != 0:
        raise Violation(f"upsweep {CALIBRATE.line}: exit code {ended.code}: {ended.err}")
    calls = {"rename": int(pathlib.Path(count).read_text(encoding="utf-8"))}
    reference = Reference(normal_text(ended.out, True), before, scene.look(CALIBRATE, folder), time.monotonic() - start, calls)
    stopped = generator.choice(list(disturbances.signals_at_random(scene, CALIBRATE, reference, generator, 1)))
    try_one(scene, CALIBRATE, reference, stopped, findings)
    for disturbance in disturbances.renames(scene, CALIBRATE, reference, generator, 1):
        try_one(scene, CALIBRATE, reference, disturbance, findings, is_run_again=False)
    say("calibrate: done")
