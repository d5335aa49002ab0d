"""Ways to be in the way of a command, what it may then do, and what it has to say."""
import dataclasses
import errno
import os
import random
import resource
import signal
import sqlite3
import subprocess
import time

# What an error names: the file or stream that could not be used.
FILES = r"store\.sqlite|new\.sqlite|\bout/|points\.sqlite|/tmp\b|standard output|models/|configs/|\.yaml|\.csv|\.onnx|node|file|pipe"
CALLS = ("alloc", "write", "sync", "open", "create", "rename", "unlink")


@dataclasses.dataclass
class Disturbance:
    """One, of one run of one command. `how` is what stands before the command line to repeat it."""

    kind: str
    how: str
    codes: set  # accepted beside 0
    words: str = FILES
    environment: dict = dataclasses.field(default_factory=dict)
    runner: object = None  # what runs the command instead of the scene: (scene, case, folder, environment) -> Ended
    must_fail: bool = False
    out_lost: bool = False  # what is printed does not arrive
    err_lost: bool = False
    store_lost: bool = False  # the store is damaged already
    may_leave: bool = False

    def run(self, scene, case, folder):
        if self.runner:
            return self.runner(scene, case, folder, self.environment)
        return scene.run(case.arguments(), folder, self.environment)


def shown(environment):
    return " ".join(f"{name}={value}" for name, value in environment.items() if name not in ("LD_PRELOAD", "FAIL_PROGRAM"))


def positions(count, wanted, generator):
    """Some of the calls 1 to count, early ones as often as late ones."""
    if count <= wanted:
        return list(range(1, count + 1))
    found = set()
    while len(found) < wanted:
        found.add(generator.randint(1, count) if len(found) % 2 else round(count ** generator.random()))
    return sorted(found)


def failing_calls(scene, reference, generator, call, wanted, kind, codes, errors, words=FILES, onwards=(False,)):
    for at in positions(reference.calls[call], wanted, generator):
        error, on = generator.choice(errors), generator.choice(onwards)
        environment = scene.failing(call, at, error, on)
        yield Disturbance(kind, shown(environment), codes, words, environment)


def allocations(scene, case, reference, generator, wanted):
    yield from failing_calls(scene, reference, generator, "alloc", wanted, "one allocation fails", {4}, (None,), "memory")


def all_allocations(scene, case, reference, generator, wanted):
    yield from failing_calls(scene, reference, generator, "alloc", wanted, "all allocations fail from one on", {4}, (None,), "memory", (True,))


def writes(scene, case, reference, generator, wanted):
    errors = (errno.ENOSPC, errno.EIO, "short")
    codes = {3, 4} if case.name in ("plot", "train") else {3}  # these write to Node.js, too
    yield from failing_calls(scene, reference, generator, "write", wanted, "a write fails (full disk, broken disk, short)", codes, errors)


def syncs(scene, case, reference, generator, wanted):
    yield from failing_calls(scene, reference, generator, "sync", wanted, "fsync fails", {3}, (errno.EIO, errno.ENOSPC))


def opens(scene, case, reference, generator, wanted):
    yield from failing_calls(scene, reference, generator, "open", wanted, "a file cannot be opened (too many open)", {3, 4}, (errno.EMFILE,),
                             onwards=(False, True))


def creations(scene, case, reference, generator, wanted):
    yield from failing_calls(scene, reference, generator, "create", wanted, "a file cannot be made (full disk)", {3}, (errno.ENOSPC,),
                             onwards=(False, True))


def renames(scene, case, reference, generator, wanted):
    yield from failing_calls(scene, reference, generator, "rename", wanted, "rename or link fails", {3}, (errno.EACCES, errno.EIO))


def removals(scene, case, reference, generator, wanted):
    """What cannot be removed is left over."""
    for one in failing_calls(scene, reference, generator, "unlink", wanted, "unlink fails", {3}, (errno.EACCES, errno.EIO)):
        one.may_leave = True
        yield one


SIGNALS = {"SIGTERM": {-signal.SIGTERM, 130}, "SIGINT": {130}, "SIGHUP": {-signal.SIGHUP, 130}}


def signals_at_calls(scene, case, reference, generator, wanted):
    for name, codes in SIGNALS.items():
        call = generator.choice(CALLS[1:])
        number = int(getattr(signal, name))
        for at in positions(reference.calls[call], wanted, generator):
            environment = scene.failing(call, at, f"signal:{number}")
            yield Disturbance(f"{name} at a write, fsync, open, rename or unlink", shown(environment), codes, environment=environment)


def kills_at_calls(scene, case, reference, generator, wanted):
    call = generator.choice(CALLS[1:])
    for at in positions(reference.calls[call], wanted, generator):
        environment = scene.failing(call, at, "signal:9")
        yield Disturbance("kill -9 at a write, fsync, open, rename or unlink", shown(environment), {-signal.SIGKILL}, environment=environment,
                          may_leave=True)


def signals_at_random(scene, case, reference, generator, wanted):
    for name, codes in SIGNALS.items():
        for _ in range(max(1, wanted // 2)):
            delay = generator.uniform(0, reference.duration)

            def run(scene, case, folder, environment, name=name, delay=delay):
                process = scene.start(case.arguments(), folder)
                try:
                    process.wait(delay)
                except subprocess.TimeoutExpired:
                    process.send_signal(getattr(signal, name))
                return scene.finish(process)

            # Before main(), an interrupt ends the program as it ends any: when that is depends on how busy the machine is.
            yield Disturbance(f"{name} at a random moment", f"# {name} after {delay:.3f} s:", codes | {-getattr(signal, name)}, runner=run)


def closed_output(scene, case, reference, generator, wanted):
    def run(scene, case, folder, environment):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            return scene.run(case.arguments(), folder, stdout=writing)
        finally:
            os.close(writing)

    yield Disturbance("standard output is a closed pipe", "# | true:", {-signal.SIGPIPE}, runner=run, out_lost=True)


def full_output(scene, case, reference, generator, wanted):
    def run(scene, case, folder, environment):
        with open("/dev/full", "wb") as full:
            return scene.run(case.arguments(), folder, stdout=full)

    yield Disturbance("standard output is full", "# >/dev/full:", {3}, "standard output", runner=run, out_lost=True, must_fail=bool(reference.out))


def full_error(scene, case, reference, generator, wanted):
    def run(scene, case, folder, environment):
        with open("/dev/full", "wb") as full:
            return scene.run(case.arguments(), folder, stderr=full)

    yield Disturbance("standard error is full", "# 2>/dev/full:", set(), runner=run, err_lost=True)


def size_limits(scene, case, reference, generator, wanted):
    for _ in range(max(1, wanted // 2)):
        limit = round(10 ** generator.uniform(0, 6))

        def run(scene, case, folder, environment, limit=limit):
            return scene.run(case.arguments(), folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

        yield Disturbance("files may have so many bytes (RLIMIT_FSIZE)", f"prlimit --fsize={limit}", {3}, runner=run)


def held_for(seconds):
    """Runs a command while another program holds the store; for good where `seconds` is None."""
    def run(scene, case, folder, environment):
        other = sqlite3.connect(os.path.join(folder, "store.sqlite"), isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        try:
            process = scene.start(case.arguments(), folder)
            if seconds is None:
                return scene.finish(process)
            time.sleep(seconds)
            other.execute("ROLLBACK")
            return scene.finish(process)
        finally:
            other.close()
    return run


def busy(scene, case, reference, generator, wanted):
    if case.store == "store.sqlite":
        yield Disturbance("the store is locked for 0.7 s", "# BEGIN EXCLUSIVE by another:", set(), runner=held_for(0.7))


def always_busy():
    return Disturbance("the store is locked for good", "# BEGIN EXCLUSIVE by another:", {4}, "locked", runner=held_for(None), must_fail=True)


def read_only(scene, case, reference, generator, wanted):
    """As another user, who may read the folder; as this one where that is not root."""
    def run(scene, case, folder, environment):
        is_root = os.geteuid() == 0
        for place, _, files in os.walk(folder):
            os.chmod(place, 0o555)
            for name in files:
                os.chmod(os.path.join(place, name), 0o444, follow_symlinks=True)
        os.chmod(os.path.join(folder, "tmp"), 0o777)
        who = {"user": 65534, "group": 65534, "extra_groups": []} if is_root else {}
        try:
            return scene.run(case.arguments(), folder, **who)
        finally:
            for place, _, files in os.walk(folder):
                os.chmod(place, 0o755)
                for name in files:
                    os.chmod(os.path.join(place, name), 0o644)

    must_fail = bool(case.outputs) or (bool(case.store) and not case.reads_store)
    yield Disturbance("folder and files are read-only", "# as a user who may read alone:", {3}, runner=run, must_fail=must_fail)


def damage(scene, case, reference, generator, wanted):
    """Bytes in the middle of the store are others."""
    if not (case.reads_store or case.store == "store.sqlite"):
        return
    for _ in range(wanted):
        seed = generator.randrange(2**32)
        length = generator.choice((1, 16, 512))

        def run(scene, case, folder, environment, seed=seed, length=length):
            overwrite(os.path.join(folder, "store.sqlite"), seed, length)
            return scene.run(case.arguments(), folder)

        yield Disturbance("bytes of the store are overwritten", f"# overwrite(store, seed {seed}, {length}):", {3}, r"store\.sqlite",
                          runner=run, store_lost=True)


def overwrite(path, seed, length):
    generator = random.Random(seed)
    with open(path, "r+b") as store:
        store.seek(generator.randrange(4096, os.path.getsize(path) - length))
        store.write(generator.randbytes(length))


# With how many trials each has of a command in a full run.
ALL = ((allocations, 10), (all_allocations, 6), (writes, 8), (syncs, 4), (opens, 6), (creations, 3), (renames, 3), (removals, 3),
       (signals_at_calls, 3), (kills_at_calls, 4), (signals_at_random, 4), (closed_output, 1), (full_output, 1), (full_error, 1), (size_limits, 6), (busy, 1),
       (read_only, 1), (damage, 12))
