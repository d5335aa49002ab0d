"""What of an answer may differ between two runs of one command: times of day, durations, and what follows from measured times.

Rules, by names of keys in JSON and of columns in a store:
* always left out: names that are or end in created, created_utc, finished_utc, date, seconds, elapsed_s, points_per_s; `used` of the
  cache of counts; `cache` of a study, which says from where counts came: another process, or once more after a failure;
* of commands that measure (train, validate, calibrate) also names that are or end in _s, seconds, error, score, ratio, speedup,
  repetitions, sentence, verdict, verdict_ratio, verdict_details, text, mean, median, p90, max, share, and all below such a key; device and driver,
  which are "unknown" where the system does not tell.
"""
import collections
import contextlib
import json
import os
import re
import shutil
import sqlite3

TIMES = re.compile(r"(^|_)(created|created_utc|finished_utc|date|seconds|elapsed_s|points_per_s)$|^cache$")
MEASURED = re.compile(r"(^|_)(s|seconds|error|score|ratio|speedup|repetitions|sentence|verdict|verdict_ratio|verdict_details|text|mean|median|p90|max|share|"
                      r"device|driver)$")
UNFINISHED = {"complete", "verdict", "verdict_ratio", "verdict_details"}  # what a study gets at its end


def is_left_out(name, measures):
    return bool(TIMES.search(name) or (measures and MEASURED.search(name)))


def without_times(value, measures=False):
    """JSON with null in place of what may differ."""
    if isinstance(value, dict):
        return {key: None if is_left_out(key, measures) else without_times(one, measures) for key, one in value.items()}
    if isinstance(value, list):
        return [without_times(one, measures) for one in value]
    return value


def normal_text(text, measures=False):
    """A printed answer as it has to be; where it is no whole JSON, as it is."""
    try:
        return json.dumps(without_times(json.loads(text), measures))
    except ValueError:
        return text.decode(errors="replace") if isinstance(text, bytes) else text


def copy_of(store, folder):
    """A copy of a store with its log, as it is on the disk now: looking at it changes nothing of the store itself."""
    target = os.path.join(folder, "copy.sqlite")
    for end in ("", "-wal", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            os.remove(target + end)
        if os.path.exists(store + end):
            shutil.copyfile(store + end, target + end)
    with contextlib.suppress(FileNotFoundError):
        os.remove(target + "-shm")
    return target


def rows_by_table(store, measures=False, without=()):
    """Counted rows of every table that has any; nothing where there is no store. Columns `without` are left out."""
    if not os.path.exists(store) or os.path.getsize(store) == 0:
        return {}
    found = {}
    connection = sqlite3.connect(store, timeout=60)
    connection.text_factory = lambda text: text.decode(errors="surrogateescape")
    try:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
        for (table,) in tables:
            cursor = connection.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description]
            kept = [i for i, name in enumerate(names)
                    if not is_left_out(name, measures) and name not in without and (table, name) != ("counted_models", "used")]
            if rows := collections.Counter(tuple(row[i] for i in kept) for row in cursor):
                found[table] = rows
    finally:
        connection.close()
    return found


def is_part(some, whole):
    return all(not rows - whole.get(table, collections.Counter()) for table, rows in some.items())
