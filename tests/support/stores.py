"""Studies of a program and the stores that they write, for checks that stop them: what is there, and whether it is whole."""
import json
import os
import sqlite3
import subprocess
import time

NETWORKS = """
name: networks
base:
  model:
    name: mlp
    input: [100]
    dtype: fp32
    weights: {init: he_normal, seed: 0, prune: {method: magnitude_layer, sparsity: 0.5}}
    operators:
      - linear: {name: fc1, out_features: 100}
      - relu: {name: on1}
      - linear: {name: fc2, out_features: 100}
      - relu: {name: on2}
      - linear: {name: fc3, out_features: 100}
      - relu: {name: on3}
      - linear: {name: fc4, out_features: 10}
axes:
  - {path: model.weights.prune.sparsity, range: {from: 0.3, to: 0.98, step: 0.01}}
  - {path: workers, values: [1, 2, 4, 0]}
  - {path: schedule, values: [linear, blelloch, best]}
questions: [best]
"""

CHAINS = """
name: chains
base:
  model: {name: chain, chain: {length: 100, size: 20, kind: dense}}
axes:
  - {path: model.chain.size, values: [20, 3, 0]}
  - {path: model.chain.length, geometric: {from: 8, to: 1000000000, count: 400}}
  - {path: schedule, values: [best, blelloch, "hybrid:3"]}
  - {path: workers, geometric: {from: 1, to: 512, count: 10}}
constraints: workers <= model.chain.length
questions: [best]
"""


class Violation(Exception):
    """Something is not as it has to be; the text says what."""


def connected(store):
    return sqlite3.connect(store, timeout=60)


def has_study(store):
    """Whether a study has begun. Readers are in nobody's way once there is a write-ahead log."""
    if not os.path.exists(store + "-wal"):
        return False
    connection = connected(store)
    try:
        return connection.execute("SELECT COUNT(*) FROM studies").fetchall() != [(0,)]
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return False
        raise
    finally:
        connection.close()


def rows_of(store):
    """Rows of the view study_points by position; nothing where the store or its tables are not there yet."""
    if not os.path.exists(store):
        return {}
    connection = connected(store)
    try:
        cursor = connection.execute("SELECT * FROM study_points ORDER BY position")
        names = [column[0] for column in cursor.description]
        kept = [i for i, name in enumerate(names) if name != "study" and "second" not in name and "created" not in name]
        place = names.index("position")
        return {row[place]: tuple(row[i] for i in kept) for row in cursor}
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return {}
        raise
    finally:
        connection.close()


def damage_of(store):
    """What SQLite finds wrong in a store, or nothing."""
    if not os.path.exists(store):
        return None
    connection = connected(store)
    try:
        for question, well in (("integrity_check", [("ok",)]), ("foreign_key_check", [])):
            found = connection.execute(f"PRAGMA {question}").fetchall()
            if found != well:
                return f"{question}: {found[:3]}"
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        return str(error)
    finally:
        connection.close()
    return None


def require_whole(store):
    damage = damage_of(store)
    if damage:
        raise Violation(f"{store} is not whole: {damage}")


def settled(rows):
    """But for invalid points, which every start evaluates again: a file that they miss may be there now."""
    return {position: row for position, row in rows.items() if "invalid" not in row}


def require_kept(before, after, what):
    for position, row in settled(before).items():
        if after.get(position) != row:
            raise Violation(f"{what}: point {position} was {row}, is {after.get(position)}")


class Study:
    """A study file in a folder, and the program that runs it into stores there."""

    def __init__(self, program, folder, name, text):
        self.program, self.folder, self.name = program, folder, name
        self.file = os.path.join(folder, f"{name}.yaml")
        with open(self.file, "w", encoding="utf-8") as out:
            out.write(text)
        self.stores = 0

    def fresh_store(self):
        self.stores += 1
        return os.path.join(self.folder, f"{self.name}-{self.stores}.sqlite")

    def command(self, store, style="table"):
        return [self.program, "study", self.file, "--db", store, "--format", style]

    def finish(self, store, style="table"):
        """Runs to the end; returns what it prints, and how long it took."""
        start = time.monotonic()
        run = subprocess.run(self.command(store, style), capture_output=True, check=False)
        duration = time.monotonic() - start
        if run.returncode != 0:
            raise Violation(f"{self.name}: exit code {run.returncode}: {run.stderr.decode(errors='replace')}")
        return run.stdout, duration

    def finish_and_count(self, store):
        """Runs to the end; returns how many points it evaluated, and how many were there."""
        points = json.loads(self.finish(store, "json")[0])["points"]
        return points["evaluated"], points["resumed"]

    def start(self, store, output=subprocess.DEVNULL):
        return subprocess.Popen(self.command(store), stdout=output, stderr=output)


def finish_and_compare(study, store, wanted, what):
    """Goes on to the end: what was there is there, what was missing is there, and nothing was evaluated twice."""
    before = settled(rows_of(store))
    evaluated, resumed = study.finish_and_count(store)
    after = rows_of(store)
    require_kept(before, after, what)
    if after != wanted:
        raise Violation(f"{what}: {len(after)} rows differ from the {len(wanted)} of an uninterrupted run")
    if resumed < len(before):
        raise Violation(f"{what}: {len(before)} points were there, {resumed} were taken over")
    if evaluated > len(wanted) - len(before):
        raise Violation(f"{what}: {evaluated} points evaluated, {len(wanted) - len(before)} were missing")
