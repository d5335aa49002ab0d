"""Studies that are killed, go on, and are compared with uninterrupted ones; ten programs that write to one store."""
import collections
import os
import pathlib
import random
import signal
import struct
import subprocess
import time

from normal import copy_of, rows_by_table
from stores import CHAINS, NETWORKS, Study, Violation, finish_and_compare, require_kept, require_whole, rows_of, settled

ENDS = ("SIGKILL", "SIGKILL and a cut log", "SIGTERM", "SIGINT twice")
IDS = {"id", "command_id", "run_id", "search_id", "study_id", "measurement_id", "machine_id"}


class Kills:
    """Kills of one study: `wanted` are the rows of an uninterrupted run."""

    def __init__(self, study, generator):
        self.study, self.generator = study, generator
        self.counts = collections.Counter()
        self.with_progress = self.within_writing = self.studies = self.rows_compared = self.logs_cut = 0
        store = study.fresh_store()
        _, self.duration = study.finish(store)
        self.wanted = rows_of(store)
        _, self.startup = study.finish(store)
        remove(store)

    def wait_for_moment(self, process, store):
        """A random share of the run, or a moment after the log has grown."""
        generator = self.generator
        if generator.random() < 0.5:
            limit = self.duration if generator.random() < 0.5 else self.startup
            try:
                process.wait(generator.uniform(0, limit))
            except subprocess.TimeoutExpired:
                pass
            return
        log, first, end = store + "-wal", size_of(store + "-wal"), time.monotonic() + generator.uniform(0, 1.5 * self.duration)
        while process.poll() is None and size_of(log) == first and time.monotonic() < end:
            time.sleep(0.0005)
        time.sleep(generator.uniform(0, 0.004))
        self.within_writing += 1

    def kill(self, store, how):
        """Runs the study and ends it that way; returns whether it was ended and not over before."""
        process = self.study.start(store)
        self.wait_for_moment(process, store)
        if how == "SIGTERM":
            process.terminate()
        elif how == "SIGINT twice":
            process.send_signal(signal.SIGINT)
            time.sleep(self.generator.uniform(0, 0.01))
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        else:
            process.kill()
        code = process.wait(120)
        accepted = {"SIGTERM": (130, -signal.SIGTERM), "SIGINT twice": (130, -signal.SIGINT)}.get(how, (-signal.SIGKILL,))
        if code != 0 and code not in accepted:
            raise Violation(f"{self.study.name}: exit code {code} after {how}")
        return code != 0

    def until_done(self, most):
        """Kills one study until it is over or has been killed so often, then lets it end."""
        store, done = self.study.fresh_store(), 0
        while done < most:
            how = self.generator.choice(ENDS)
            before = rows_of(store)
            killed = self.kill(store, how)
            uncut = {}
            if killed and how == "SIGKILL and a cut log":
                uncut = rows_of(copy_of(store, self.study.folder))
                cut_log(store, self.generator)
            require_whole(store)
            after = rows_of(store)
            what = f"{self.study.name} after {how}"
            require_kept(before, after, what)
            require_kept(after, self.wanted, what)
            self.rows_compared += len(after)
            self.logs_cut += len(settled(after)) < len(settled(uncut))
            self.with_progress += len(settled(after)) > len(settled(before))
            if killed:
                self.counts[how] += 1
                done += 1
            elif len(after) == len(self.wanted):
                break
        finish_and_compare(self.study, store, self.wanted, f"{self.study.name} after {done} kills")
        self.studies += 1
        remove(store)
        return done


def size_of(path):
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0


def remove(store):
    for path in pathlib.Path(store).parent.glob(pathlib.Path(store).name + "*"):
        path.unlink()


def cut_log(store, generator):
    """Cuts the write-ahead log at a random byte, as a power cut may: behind what has begun to go into the store itself.

    The log's index (-shm) says how many frames those are; SQLite has flushed them before, so that no power cut takes them.
    """
    log, index = store + "-wal", store + "-shm"
    size = size_of(log)
    if size <= 32 or size_of(index) < 136:
        return
    with open(log, "rb") as file:
        page = struct.unpack(">I", file.read(12)[8:])[0]
    with open(index, "rb") as file:
        head = file.read(136)
    frames = max(struct.unpack_from("=I", head, 96)[0], struct.unpack_from("=I", head, 128)[0])  # nBackfill, nBackfillAttempted
    kept = 32 + frames * (24 + page) if frames else 0
    os.truncate(log, generator.randint(min(kept, size), size))
    os.remove(index)  # memory, which a power cut takes


def kill_studies(program, folder, generator, wanted, say):
    """So many kills; returns what was done."""
    small = Study(program, folder, "small", NETWORKS.replace("name: networks", "name: small").replace("to: 0.98, step: 0.01", "to: 0.9, step: 0.1"))
    chains = Study(program, folder, "chains", CHAINS.replace("count: 400", "count: 60"))
    networks = Study(program, folder, "networks", NETWORKS.replace("step: 0.01", "step: 0.02"))
    parts = [Kills(study, generator) for study in (small, chains, networks)]
    total = said = 0
    while total < wanted:
        part = parts[total % 3]
        total += part.until_done(min(generator.randint(1, 8), wanted - total))
        if total - said >= 100:
            said = total
            say(f"{total} of {wanted} kills")
    return parts


def without_ids(store):
    """Rows of tables by content alone: which ids a program got depends on who was first."""
    return rows_by_table(store, without=IDS | {"parameters"})


WRITERS_LIMIT_S = 600


def write_at_once(scene, folder, generator, writers, rounds):
    """So many programs, each with some commands of its own; returns how many commands and rows there were."""
    scene.fresh_folder(folder)
    lines = []
    for number in range(writers):
        kinds = ("search models/lenet5.yaml --workers 4 --schemes hybrid", "profile models/lenet5.yaml", f"study writer-{number}.yaml --jobs 2")
        lines.append([kinds[(number + one) % 3] + " --db new.sqlite --format json" for one in range(rounds)])
        text = pathlib.Path(folder, "study.yaml").read_text(encoding="utf-8").replace("name: study", f"name: writer-{number}")
        pathlib.Path(folder, f"writer-{number}.yaml").write_text(text.replace("seed: 1", f"seed: {number + 10}"), encoding="utf-8")
    alone = os.path.join(folder, "alone.sqlite")
    for line in [line for one in lines for line in one]:
        ended = scene.run(line.replace("new.sqlite", "alone.sqlite").split(), folder)
        if ended.code != 0:
            raise Violation(f"upsweep {line}: exit code {ended.code}: {ended.err}")
    left = [list(one) for one in lines]
    running = {}
    order = random.Random(generator.randrange(2**32))
    deadline = time.monotonic() + WRITERS_LIMIT_S
    while running or any(left):
        if time.monotonic() > deadline:
            raise Violation(f"{writers} writers: not done after {WRITERS_LIMIT_S} s")
        for number in order.sample(range(writers), writers):
            if number in running and running[number].poll() is not None:
                ended = scene.finish(running.pop(number))
                if ended.code != 0:
                    raise Violation(f"writer {number} of {writers}: exit code {ended.code}: {ended.err}")
            if number not in running and left[number]:
                running[number] = scene.start(left[number].pop(0).split(), folder, stdout=subprocess.DEVNULL)
        time.sleep(0.005)
    store = os.path.join(folder, "new.sqlite")
    require_whole(store)
    wanted, found = without_ids(alone), without_ids(store)
    for table in sorted(set(wanted) | set(found)):
        if wanted.get(table) != found.get(table):
            raise Violation(f"{writers} writers: {table} has {sum(found.get(table, {}).values())} rows, one after the other it has "
                            f"{sum(wanted.get(table, {}).values())}, or they differ")
    return sum(map(len, lines)), sum(sum(rows.values()) for rows in found.values())
