"""The commands that are disturbed, the folder that each runs in, and what each does where nothing disturbs it."""
import collections
import contextlib
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import time

from normal import UNFINISHED, copy_of, normal_text, rows_by_table
from onnx_bytes import small_network
from stores import Violation, damage_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT_S = 120

STUDY = """
name: {name}
base:
  model:
    name: mlp
    input: [30]
    dtype: fp32
    weights: {{init: he_normal, seed: {seed}, prune: {{method: magnitude_layer, sparsity: 0.5}}}}
    operators: [linear: {{out_features: 30}}, relu: {{}}, linear: {{out_features: 10}}]
axes:
  - {{path: model.weights.prune.sparsity, values: [0.2, 0.5, 0.8, 0.9]}}
  - {{path: workers, values: [1, 2, 4, 0]}}
  - {{path: schedule, values: [linear, best]}}
questions: [best, {{crossover: {{along: workers}}}}]
"""
ANCHORS = """family,device,library,dtype,covers,time_ms,status,rows,cols,nnz_a,products,nnz_c
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,26.24,ok,45330,45330,3213618,299381624,23716476
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,2.5,ok,10000,10000,100000,3000000,1000000
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,5.5,ok,100000,100000,1000000,10000000,5000000
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,9.5,ok,200000,200000,2000000,20000000,9000000
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,,library_error,943695,943695,77651847,8089734897,
"""
TRAIN = "train configs/training/rnn-bitstream.yaml --iterations 2 --batch 4 --steps 20 --backward bptt,blelloch --workers 1"
VALIDATE = "validate models/lenet5.yaml --workers 1 --schedule hybrid:1 --machine configs/machines/pram-unit.yaml"
BASE = [  # what the store holds before each trial; the first run is 1, the study is 1
    "search models/lenet5.yaml --workers 4 --schemes hybrid --db store.sqlite",
    "training configs/training/section-8.4.1.yaml --db store.sqlite",
    TRAIN + " --db store.sqlite",
    "study stored.yaml --db store.sqlite",
    "anchors anchors.csv --db store.sqlite",
]


@dataclasses.dataclass
class Case:
    """A command line (of files in its folder), the files that it writes, and the store that it changes."""

    name: str
    line: str
    outputs: tuple = ()
    store: str = ""
    measures: bool = False  # times, which differ each time
    is_study: bool = False  # rows come in batches
    reads_store: bool = False
    in_determinism: bool = True
    varies: bool = False  # its files and rows, too, differ each time: rows are counted alone
    is_once: bool = False  # what it takes away is gone: a second time it fails

    def arguments(self):
        return self.line.split()


CASES = [
    Case("profile", "profile models/lenet5.yaml --db store.sqlite --format json", store="store.sqlite"),
    Case("search", "search models/lenet5.yaml --workers 4 --db store.sqlite --format json", store="store.sqlite"),
    Case("search, new store", "search models/lenet5.yaml --workers 4 --schemes hybrid --db new.sqlite --format json", store="new.sqlite"),
    Case("explain", "explain models/lenet5.yaml --db store.sqlite --format json", store="store.sqlite"),
    Case("formula", "formula models/lenet5.yaml --axis image --format json"),
    Case("import", "import small.onnx --out out/small.yaml --format json", ("out/small.yaml", "out/small.safetensors")),
    Case("validate", VALIDATE + " --gradient out/gradient.npy --db store.sqlite --format json", ("out/gradient.npy",), "store.sqlite",
         measures=True),
    Case("solve", "solve models/lenet5.yaml --format json"),
    Case("anchors", "anchors anchors.csv --machine configs/machines/a100-pcie-80gb.yaml --fit-out out/fit.yaml --db store.sqlite --format json",
         ("out/fit.yaml",), "store.sqlite"),
    Case("train", TRAIN + " --svg out/losses.svg --db store.sqlite --format json", ("out/losses.svg",), "store.sqlite", measures=True),
    Case("training", "training configs/training/section-8.4.1.yaml --db store.sqlite --format json", store="store.sqlite"),
    Case("study", "study study.yaml --db store.sqlite --format json", store="store.sqlite", is_study=True),
    Case("study, new store", "study study.yaml --jobs 2 --db new.sqlite --format json", store="new.sqlite", is_study=True),
    Case("study, nothing kept", "study study.yaml --format json"),
    Case("study, all there", "study stored.yaml --db store.sqlite --format json", store="store.sqlite", is_study=True, reads_store=True),
    Case("runs", "runs list --db store.sqlite --format json", reads_store=True),
    Case("runs show", "runs show 2 --db store.sqlite --format json", reads_store=True),
    Case("runs delete", "runs delete 2 --db store.sqlite --format json", store="store.sqlite", in_determinism=False,
         is_once=True),
    Case("report", "report --db store.sqlite --out out/page.html", ("out/page.html",), reads_store=True),
    Case("trace", "trace --run 1 --db store.sqlite --out out/trace.json", ("out/trace.json",), reads_store=True),
    Case("plot", "plot schedule --run 1 --db store.sqlite --out out/figure.svg", ("out/figure.svg",), reads_store=True),
]
CALIBRATE = Case("calibrate", "calibrate --quick --dtype fp32 --out out/machine.yaml --db store.sqlite --format json", ("out/machine.yaml",),
                 "store.sqlite", measures=True, in_determinism=False, varies=True)


def case_of(name):
    return next(case for case in CASES if case.name == name)


@dataclasses.dataclass
class Ended:
    """How a run ended."""

    code: int  # negative: by that signal; None: it did not end
    out: bytes
    err: str


@dataclasses.dataclass
class State:
    """What is in the folder of a case: rows of its store, bytes of its outputs, and files that are nobody's."""

    rows: dict
    unfinished_rows: dict  # without what a study gets at its end
    damage: str
    outputs: dict
    left_over: list


@dataclasses.dataclass
class Reference:
    """What a case does undisturbed."""

    out: str
    before: State
    after: State
    duration: float
    calls: dict


class Scene:
    """Makes folders, runs cases in them, and looks at what they leave. `helper` is the library that makes calls fail."""

    def __init__(self, program, folder, helper):
        self.program, self.helper = program, helper
        self.base = os.path.join(folder, "base")
        self.trial = os.path.join(folder, "trial")
        self.looked = os.path.join(folder, "looked")
        os.chmod(folder, 0o755)  # some trials are another user's
        os.makedirs(self.looked)
        os.makedirs(self.base)
        for name in ("models", "configs"):
            os.symlink(ROOT / name, os.path.join(self.base, name))
        for name, text in (("stored.yaml", STUDY.format(name="stored", seed=0)), ("study.yaml", STUDY.format(name="study", seed=1)),
                           ("anchors.csv", ANCHORS)):
            pathlib.Path(self.base, name).write_text(text, encoding="utf-8")
        pathlib.Path(self.base, "small.onnx").write_bytes(small_network())
        for name in ("tmp", "out"):
            os.makedirs(os.path.join(self.base, name))
        self.inputs = set(os.listdir(self.base)) | {"store.sqlite"}
        for line in BASE:
            ended = self.run(line.split(), self.base)
            if ended.code != 0:
                raise Violation(f"upsweep {line}: exit code {ended.code}: {ended.err}")
        self.references = {}

    def fresh_folder(self, folder=None):
        folder = folder or self.trial
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.base, folder, symlinks=True)
        return folder

    def environment(self, folder, more=None):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("UPSWEEP_", "FAIL_", "LC_", "LANG"))}
        return {**kept, "TMPDIR": os.path.join(folder, "tmp"), "LC_ALL": "C.UTF-8", "TZ": "UTC", "UPSWEEP_DB": "", **(more or {})}

    def start(self, arguments, folder, more=None, **streams):
        """Both outputs go to pipes where `streams` says nothing else."""
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, "cwd": folder, **streams}
        return subprocess.Popen([self.program, *arguments], env=self.environment(folder, more), start_new_session=True, **streams)

    def finish(self, process):
        try:
            out, err = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return Ended(None, out or b"", (err or b"").decode(errors="replace"))
        return Ended(process.returncode, out or b"", (err or b"").decode(errors="replace"))

    def run(self, arguments, folder, more=None, **streams):
        return self.finish(self.start(arguments, folder, more, **streams))

    def look(self, case, folder, with_store=True):
        """What a case left. Nothing of the folder is changed by that."""
        rows, unfinished, damage = {}, {}, None
        if case.store and with_store:
            copy = copy_of(os.path.join(folder, case.store), self.looked)
            damage = damage_of(copy)
            if damage is None:
                rows = rows_by_table(copy, case.measures)
                if case.varies:
                    rows = {table: collections.Counter({"row": sum(found.values())}) for table, found in rows.items()}
                unfinished = rows_by_table(copy, case.measures, UNFINISHED)
        outputs = {name: pathlib.Path(folder, name).read_bytes() for name in case.outputs if os.path.exists(os.path.join(folder, name))}
        return State(rows, unfinished, damage, outputs, self.left_over(case, folder))

    def left_over(self, case, folder):
        """Files that are neither inputs nor outputs, nor what SQLite keeps beside a store until it is opened again."""
        found = []
        for place, folders, files in os.walk(folder):
            for name in files + (folders if place.endswith("/tmp") else []):
                path = os.path.relpath(os.path.join(place, name), folder)
                plain = path.removesuffix("-wal").removesuffix("-shm").removesuffix("-journal")
                if plain not in self.inputs and plain not in case.outputs and plain != case.store:
                    found.append(path)
        return sorted(found)

    def count_calls(self, case, kinds):
        counts = {}
        for kind in kinds:
            folder = self.fresh_folder()
            count = os.path.join(self.looked, "count")
            ended = self.run(case.arguments(), folder, self.failing(kind, 0, count=count))
            if ended.code != 0:
                raise Violation(f"{case.name}: exit code {ended.code} where calls of {kind} are counted: {ended.err}")
            counts[kind] = int(pathlib.Path(count).read_text(encoding="utf-8"))
        return counts

    def failing(self, kind, at, error=None, onwards=False, count=None):
        """The environment in which the call fails."""
        settings = {"LD_PRELOAD": self.helper, "FAIL_CALL": kind, "FAIL_AT": str(at), "FAIL_PROGRAM": os.path.basename(self.program)}
        if error is not None:
            settings["FAIL_WITH"] = str(error)
        if onwards:
            settings["FAIL_FROM"] = "1"
        if count:
            settings["FAIL_COUNT"] = count
        return settings

    def reference(self, case, kinds=()):
        """Runs a case twice, undisturbed; throws where that gives two results."""
        if case.name not in self.references:
            results = []
            for _ in range(2):
                folder = self.fresh_folder()
                before = self.look(case, folder)
                start = time.monotonic()
                ended = self.run(case.arguments(), folder)
                duration = time.monotonic() - start
                after = self.look(case, folder)
                if ended.code != 0 or after.damage or after.left_over or set(after.outputs) != set(case.outputs):
                    raise Violation(f"upsweep {case.line}: exit code {ended.code}, {after.damage}, left {after.left_over}: {ended.err}")
                results.append(Reference(normal_text(ended.out, case.measures), before, after, duration, {}))
            one, other = results
            for what, same in (("output", one.out == other.out), ("rows", one.after.rows == other.after.rows),
                               ("files", case.varies or one.after.outputs == other.after.outputs)):
                if not same:
                    raise Violation(f"upsweep {case.line}: two runs differ in their {what}")
            self.references[case.name] = other
        reference = self.references[case.name]
        missing = [kind for kind in kinds if kind not in reference.calls]
        reference.calls.update(self.count_calls(case, missing))
        return reference
