"""Whether a command that was disturbed did what it may: pure functions of what it left, so that a test can doctor that."""
import collections
import dataclasses
import re

from normal import is_part, normal_text

MOST_LINES = 5  # of standard error: an error, the usage below it, and notes
ERROR = "upsweep: error: "
NO_PICTURES = "no pictures of sparsity patterns are kept"  # a note: they hang on the model, and the next command makes them


@dataclasses.dataclass
class Fault:
    """`kind` is what faults of one cause have in common, `text` what this one was."""

    kind: str
    text: str


def code_faults(expected, ended):
    """Exit codes: 0, or one that says what was in the way."""
    if ended.code is None:
        return [Fault("does not end", "still runs after two minutes")]
    if ended.code == 0 and expected.must_fail:
        return [Fault("exit code 0 all the same", "exit code 0")]
    if ended.code in expected.codes or ended.code == 0:
        return []
    last = ended.err.strip().splitlines()[-1:] or ["no line"]
    if ended.code > 0 and not ended.err:
        return [Fault(f"exit code {ended.code} without a word", f"exit code {ended.code}, nothing on standard error")]
    if ended.code == 3 and "out of memory" in last[0]:
        return [Fault("exit code 3 for want of memory", last[0])]
    if ended.code < 0 and -ended.code in (4, 6, 7, 8, 11):
        return [Fault(f"crash by signal {-ended.code}", f"signal {-ended.code}: {last[0]}")]
    return [Fault(f"exit code {ended.code}", f"exit code {ended.code}: {last[0]}")]


def message_faults(expected, ended):
    """Standard error: few lines, and one that names the cause where the command failed by itself."""
    if ended.code is None or expected.err_lost:
        return []
    lines = ended.err.strip().splitlines()
    faults = []
    if len(lines) > MOST_LINES:
        faults.append(Fault("many lines on standard error", f"{len(lines)} lines, the first: {lines[0][:120]}"))
    if ended.code > 0 and ended.code != 130 and ended.err:
        error = next((line for line in reversed(lines) if line.startswith(ERROR)), None)
        if error is None:
            faults.append(Fault("no error is said", f"exit code {ended.code}, and no line of error"))
        elif not re.search(expected.words, error):
            faults.append(Fault("the error does not name its cause", error[:200]))
    return faults


def output_faults(case, expected, ended, reference, state):
    """Standard output after success, and files: whole, or as they were."""
    faults = []
    if ended.code == 0 and not (expected.out_lost or case.varies) and normal_text(ended.out, case.measures) != reference.out:
        faults.append(Fault("another answer", f"exit code 0, and {len(ended.out)} bytes that differ from those of an undisturbed run"))
    for name in case.outputs:
        now = state.outputs.get(name)
        if now is None and ended.code == 0:
            faults.append(Fault("no file", f"exit code 0 without {name}"))
        elif now is not None and now not in (reference.after.outputs[name], reference.before.outputs.get(name)) and not case.varies:
            faults.append(Fault("a file that is not whole", f"{name} has {len(now)} bytes, accepted are {len(reference.after.outputs[name])}"))
    return faults


def without_pictures(rows):
    return {table: found for table, found in rows.items() if table != "pattern_pictures"}


def store_faults(case, expected, ended, reference, state):
    """All rows of the command or none; of a study, those of batches before."""
    if not case.store or expected.store_lost:
        return []
    if state.damage:
        return [Fault("a store that is not whole", state.damage)]
    before, after = reference.before, reference.after
    if state.rows == after.rows or (state.rows == before.rows and ended.code != 0):
        return []
    if state.rows == without_pictures(after.rows) and (ended.code != 0 or NO_PICTURES in ended.err):
        return []
    if case.is_study and ended.code != 0 and is_part(before.unfinished_rows, state.unfinished_rows) and \
            is_part(state.unfinished_rows, after.unfinished_rows):
        return []
    if case.is_study and ended.code != 0 and is_part(settled(before.unfinished_rows), state.unfinished_rows) and \
            is_part(state.unfinished_rows, after.unfinished_rows):
        return [Fault("answers and invalid points that were there are gone until the study ends", f"exit code {ended.code}")]
    counts = {table: (sum(before.rows.get(table, {}).values()), sum(state.rows.get(table, {}).values()), sum(rows.values()))
              for table, rows in after.rows.items() if rows != state.rows.get(table)}
    return [Fault("a part of the rows", f"exit code {ended.code}; rows before, now, undisturbed: {counts}")]


def settled(rows):
    """Rows of a store without what a study that is started again takes away first: its answers, and points that are invalid."""
    members = collections.Counter({row: count for row, count in rows.get("study_members", {}).items() if "invalid" not in row})
    return {table: members if table == "study_members" else found for table, found in rows.items() if table != "study_answers"}


# Files that may be left over, by their names.
LEFT_OVER = (("a temporary folder", r"tmp/upsweep-"), ("an output's temporary file", r"\.tmp$"), ("a database that is being made", r"\.new-\d+"),
             ("a study's lock file", r"\.lock$"), ("another file", r""))


def left_over_faults(expected, state):
    if expected.may_leave:
        return []
    kinds = {next(kind for kind, pattern in LEFT_OVER if re.search(pattern, name)): name for name in state.left_over}
    return [Fault(f"left over: {kind}", name) for kind, name in kinds.items()]


def faults_of(case, expected, ended, reference, state):
    return [*code_faults(expected, ended), *message_faults(expected, ended), *output_faults(case, expected, ended, reference, state),
            *store_faults(case, expected, ended, reference, state), *left_over_faults(expected, state)]


def afterwards_faults(case, ended, state, reference, was_nothing):
    """Of the next run, which nothing disturbs. `was_nothing`: the first one stored nothing."""
    faults = []
    if case.is_once and not was_nothing and ended.code == 3:
        return faults
    if ended.code != 0:
        faults.append(Fault("the next run fails", f"exit code {ended.code}: {ended.err.strip()[:200]}"))
        return faults
    if state.damage:
        faults.append(Fault("the next run leaves a damaged store", state.damage))
    if was_nothing and case.store and not case.is_study and state.rows != reference.after.rows:
        faults.append(Fault("the next run stores other rows", "not those of an undisturbed run"))
    if case.is_study and state.unfinished_rows != reference.after.unfinished_rows:
        faults.append(Fault("the study ends with other rows", "not those of an uninterrupted run"))
    if state.outputs != reference.after.outputs and not case.varies:
        faults.append(Fault("the next run writes other files", "not those of an undisturbed run"))
    return faults
