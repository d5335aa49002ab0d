"""Whether the checkers can fail: results that are doctored, each of which has to be a fault of one kind."""
import collections
import copy
import os
import pathlib
import random
import sqlite3
import tempfile

from determinism import Sameness
from disturbances import Disturbance, overwrite, positions
from forced import Findings
from judge import afterwards_faults, faults_of
from kills import cut_log
from normal import normal_text, rows_by_table
from scene import Case, Ended, Reference, State
from stores import Violation, damage_of, require_kept, require_whole

CASE = Case("made up", "search", ("out/a",), "store.sqlite")
STUDY = Case("made up", "study", (), "store.sqlite", is_study=True)


def rows(*numbers):
    return {"runs": collections.Counter((number,) for number in numbers)}


def state(numbers, outputs=None, damage=None, left_over=()):
    return State(rows(*numbers), rows(*numbers), damage, outputs if outputs is not None else {}, list(left_over))


BEFORE = state([1])
WHOLE = state([1, 2, 3], {"out/a": b"whole"})
REFERENCE = Reference('{"a": 1}', BEFORE, WHOLE, 0.1, {})
STUDY_REFERENCE = Reference('{"a": 1}', BEFORE, state([1, 2, 3]), 0.1, {})
DISTURBANCE = Disturbance("made up", "", {3}, "store")
MEMORY = Disturbance("made up", "", {4}, "memory")
DONE = Ended(0, b'{"a": 1}', "upsweep: stored\n")
REFUSED = Ended(3, b"", "upsweep: error: store.sqlite: No space\n")


def kinds(ended=DONE, now=WHOLE, case=CASE, reference=REFERENCE, disturbance=DISTURBANCE):
    return {fault.kind for fault in faults_of(case, disturbance, ended, reference, now)}


def check_judge():
    assert kinds() == set() and kinds(REFUSED, BEFORE) == set() and kinds(REFUSED, WHOLE) == set()
    assert kinds(case=STUDY, now=state([1, 2]), ended=REFUSED, reference=STUDY_REFERENCE) == set()
    must_fail = copy.copy(DISTURBANCE)
    must_fail.must_fail = True
    for wanted, found in [
        ("does not end", kinds(Ended(None, b"", ""), BEFORE)),
        ("exit code 0 all the same", kinds(disturbance=must_fail)),
        ("crash by signal 6", kinds(Ended(-6, b"", "terminate called"), BEFORE)),
        ("exit code 1", kinds(Ended(1, b"", "upsweep: error: store"), BEFORE)),
        ("exit code 3 for want of memory", kinds(Ended(3, b"", "upsweep: error: store: out of memory"), BEFORE, disturbance=MEMORY)),
        ("exit code 1 without a word", kinds(Ended(1, b"", ""), BEFORE)),
        ("no error is said", kinds(Ended(3, b"", "store.sqlite"), BEFORE)),
        ("the error does not name its cause", kinds(Ended(3, b"", "upsweep: error: sorry"), BEFORE)),
        ("many lines on standard error", kinds(Ended(3, b"", "x\n" * 9 + REFUSED.err), BEFORE)),
        ("another answer", kinds(Ended(0, b'{"a": 2}', ""))),
        ("another answer", kinds(Ended(0, b'{"a": 1', ""))),
        ("no file", kinds(now=state([1, 2, 3]))),
        ("a file that is not whole", kinds(now=state([1, 2, 3], {"out/a": b"who"}))),
        ("a file that is not whole", kinds(REFUSED, state([1], {"out/a": b""}))),
        ("a part of the rows", kinds(REFUSED, state([1, 2]))),
        ("a part of the rows", kinds(now=state([1], {"out/a": b"whole"}))),
        ("a part of the rows", kinds(REFUSED, state([1, 4]), STUDY, STUDY_REFERENCE)),
        ("a part of the rows", kinds(REFUSED, state([2]), STUDY, STUDY_REFERENCE)),
        ("a store that is not whole", kinds(now=state([1, 2, 3], {"out/a": b"whole"}, "row 3 missing from index"))),
        ("left over: an output's temporary file", kinds(REFUSED, state([1], left_over=["out/a.12-0.tmp"]))),
        ("left over: another file", kinds(REFUSED, state([1], left_over=["core"]))),
    ]:
        assert found == {wanted}, f"{found}, wanted is {wanted}"


def check_exceptions():
    """Of what may be missing no more than that may be."""
    def with_pictures(rows_too):
        return State({**rows_too, "pattern_pictures": rows(7)["runs"]}, {}, None, {}, [])
    reference = Reference('{"a": 1}', state([]), with_pictures(rows(1)), 0.1, {})
    case = Case("made up", "search", (), "store.sqlite")
    said = Ended(0, b'{"a": 1}', "upsweep: no pictures of sparsity patterns are kept: disk full\n")
    assert kinds(said, state([1]), case, reference) == set()
    assert kinds(DONE, state([1]), case, reference) == {"a part of the rows"}
    assert kinds(said, state([]), case, reference) == {"a part of the rows"}
    answered = {"study_members": collections.Counter([("done",), ("invalid",)]), "study_answers": collections.Counter([("best",)])}
    begun = {"study_members": collections.Counter([("done",)])}
    lost = {"study_members": collections.Counter([("invalid",)]), "study_answers": collections.Counter([("best",)])}
    before = State(answered, answered, None, {}, [])
    reference = Reference('{"a": 1}', before, before, 0.1, {})
    gone = "answers and invalid points that were there are gone until the study ends"
    assert kinds(REFUSED, State(begun, begun, None, {}, []), STUDY, reference) == {gone}
    assert kinds(REFUSED, State(lost, lost, None, {}, []), STUDY, reference) == {"a part of the rows"}


def check_afterwards():
    def found(ended=DONE, now=WHOLE, case=CASE, reference=REFERENCE):
        return {fault.kind for fault in afterwards_faults(case, ended, now, reference, True)}
    assert found() == set()
    assert found(REFUSED) == {"the next run fails"}
    assert found(now=state([1, 2], {"out/a": b"whole"})) == {"the next run stores other rows"}
    assert found(now=state([1, 2, 3], {"out/a": b"other"})) == {"the next run writes other files"}
    assert found(now=state([1, 2]), case=STUDY, reference=STUDY_REFERENCE) == {"the study ends with other rows"}
    assert "the next run leaves a damaged store" in found(now=state([1, 2, 3], {"out/a": b"whole"}, "not ok"))


def expect_violation(what, act):
    try:
        act()
    except Violation:
        return
    raise AssertionError(f"no violation: {what}")


def check_stores(folder):
    store = os.path.join(folder, "s.sqlite")
    connection = sqlite3.connect(store)
    connection.executescript("CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT, created_utc TEXT); CREATE INDEX i ON a(text);"
                             "CREATE TABLE b (a INTEGER REFERENCES a(id));")
    connection.executemany("INSERT INTO a(text, created_utc) VALUES (?, 'now')", [(f"row {i}" * 20,) for i in range(2000)])
    connection.commit()
    require_whole(store)
    assert rows_by_table(store)["a"][(7, "row 6" * 20)] == 1, "times are left out, all else is not"
    connection.execute("INSERT INTO b VALUES (99999)")
    connection.commit()
    assert damage_of(store), "a row that hangs on nothing"
    connection.execute("DELETE FROM b")
    connection.commit()
    connection.close()
    found = 0
    for seed in range(20):
        damaged = pathlib.Path(folder, "damaged.sqlite")
        damaged.write_bytes(pathlib.Path(store).read_bytes())
        overwrite(str(damaged), seed, 512)
        found += damage_of(str(damaged)) is not None
    assert found > 5, f"of 20 damaged stores {found} were found"
    expect_violation("a row that is gone", lambda: require_kept({1: ("a",)}, {}, "made up"))
    expect_violation("a row that is another", lambda: require_kept({1: ("a",)}, {1: ("b",)}, "made up"))


def check_log(folder):
    """A cut log loses rows and nothing else."""

    generator, lost = random.Random(1), 0
    for number in range(10):
        store = os.path.join(folder, f"log-{number}.sqlite")
        connection = sqlite3.connect(store)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT)")
        for i in range(30):
            with connection:
                connection.execute("INSERT INTO a VALUES (?, ?)", (i, "x" * 3000))
        copied = os.path.join(folder, f"cut-{number}.sqlite")
        for end in ("", "-wal", "-shm"):
            pathlib.Path(copied + end).write_bytes(pathlib.Path(store + end).read_bytes())
        connection.close()
        cut_log(copied, generator)
        require_whole(copied)
        there = rows_by_table(copied).get("a", {})
        assert {row[0] for row in there} == set(range(len(there)))
        lost += len(there) < 30
    assert lost >= 5, f"of 10 cut logs {lost} lost rows"


def check_rest():
    assert normal_text('{"a": 1, "seconds": 2}') == normal_text('{"a": 1, "seconds": 3}') != normal_text('{"a": 2, "seconds": 3}')
    assert normal_text('{"measured_s": 1}') != normal_text('{"measured_s": 2}')
    assert normal_text('{"measured_s": 1}', True) == normal_text('{"measured_s": 2}', True)

    some = positions(10**5, 10, random.Random(1))
    assert len(set(some)) == 10 and min(some) >= 1 and max(some) <= 10**5 and positions(3, 10, None) == [1, 2, 3]
    findings = Findings()
    sameness = Sameness(None, findings)
    sameness.same("made up", CASE, "1.5", "1.5", "")
    assert not findings.found
    sameness.same("made up", CASE, "1.5", "1,5", "")
    assert len(findings.found) == 1 and sameness.compared == {"made up": 2}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        check_judge()
        check_exceptions()
        check_afterwards()
        check_stores(folder)
        check_log(folder)
        check_rest()
    print("every doctored result was found")
