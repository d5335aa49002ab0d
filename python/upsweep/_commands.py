"""Commands of the library as functions. Settings are options of the command line by name; None leaves one out."""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

from ._inputs import Rows
from ._meanings import documented
from ._results import Figure, Record, Result
from ._running import Progress, run

PathLike = Union[str, "os.PathLike[str]"]


def _settings(values: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of a function as settings: `input_index` and `input` are one option."""
    if "input_index" in values:
        index, shapes = values.pop("input_index"), values.pop("input", None)
        values["input"] = index if shapes is None else shapes
    return values


@documented
def profile(model: Any, example_input: Any = None, *,
            pattern: Literal["guaranteed", "sample"] | None = None, workers: int | None = None,
            machine: PathLike | None = None, launch: Literal["eager", "graph", "fused"] | None = None,
            library: str | None = None, batch: int | None = None, setup: float | None = None,
            execution: Literal["level", "dag"] | None = None, db: PathLike | None = None, schedule: str | None = None,
            convention: Literal["upsweep", "torchinfo", "fvcore", "deepspeed", "calculon", "all"] | None = None,
            module_depth: int | None = None,
            input: Mapping[str, Sequence[int]] | None = None, output: str | None = None, fold_norms: bool | None = None,
            prune: str | None = None, count_limit: float | None = None, count_memory: int | str | None = None,
            estimate: float | None = None, estimate_seed: int | None = None, steps: int | None = None,
            hidden: int | None = None, forward_kernels: int | None = None, backward_kernels: int | None = None,
            host_launch_us: float | None = None, progress: Progress | bool | None = None) -> Result:
    """Counts the products of one schedule and simulates it: `ops`, `levels`, `totals`, `pram` in FLOPs and bytes.

    convention: by whose rules `network_costs` counts parameters, MACs, FLOPs and activation bytes; "all" side by side.
    module_depth: with a convention: to how many parts of their names operators are put together; 1 by default.
    """
    values = {name: value for name, value in locals().items() if name not in ("model", "progress", "example_input")}
    return run("profile", model, example_input=example_input, progress=progress, **_settings(values))


@documented
def search(model: Any, example_input: Any = None, *,
           pattern: Literal["guaranteed", "sample"] | None = None, workers: int | None = None,
           machine: PathLike | None = None, launch: Literal["eager", "graph", "fused"] | None = None,
           library: str | None = None, batch: int | None = None, setup: float | None = None,
           execution: Literal["level", "dag"] | None = None, db: PathLike | None = None,
           objective: Literal["time", "critical-flops", "work-flops"] | None = None,
           schemes: Literal["all", "hybrid", "optimal"] | None = None, live: bool | None = None, memory: int | str | None = None,
           input: Mapping[str, Sequence[int]] | None = None, output: str | None = None, fold_norms: bool | None = None,
           prune: str | None = None, count_limit: float | None = None, count_memory: int | str | None = None,
           estimate: float | None = None, estimate_seed: int | None = None, steps: int | None = None,
           hidden: int | None = None, forward_kernels: int | None = None, backward_kernels: int | None = None,
           host_launch_us: float | None = None, progress: Progress | bool | None = None) -> Result:
    """Chooses the schedule: `candidates`, `best`, `verdict`; scores are seconds with a machine, else FLOPs.

    objective: what to minimise: seconds or makespan in FLOPs, FLOPs of the critical path, all FLOPs.
    schemes: all schedules, the hybrid depths alone, or all and, of a network, the best order of products that is found.
    live: leave out dead ops, whose values no result depends on.
    memory: bytes that live values may take, or a text: "512 MiB", "none"; default: the memory of the machine.
    """
    values = {name: value for name, value in locals().items() if name not in ("model", "progress", "example_input")}
    return run("search", model, example_input=example_input, progress=progress, **_settings(values))


@documented
def validate(model: Any, example_input: Any = None, *,
             pattern: Literal["guaranteed", "sample"] | None = None, workers: int | None = None,
             machine: PathLike | None = None, launch: Literal["eager", "graph", "fused"] | None = None,
             library: str | None = None, batch: int | None = None, setup: float | None = None,
             execution: Literal["level", "dag"] | None = None, db: PathLike | None = None, backend: str | None = None,
             schedule: str | None = None, all_depths: bool | None = None, all_schedules: bool | None = None,
             input_index: int | None = None, input: Mapping[str, Sequence[int]] | None = None,
             output: str | None = None, fold_norms: bool | None = None, prune: str | None = None,
             label: int | None = None, loss_seed: int | None = None, gradient: PathLike | None = None,
             force: bool | None = None, steps: int | None = None, hidden: int | None = None,
             no_prediction: bool | None = None, progress: Progress | bool | None = None) -> Result:
    """Runs schedules for real and proves them right: predicted and measured seconds by level.

    backend: what runs the schedule: "cpu" by default, "reference", "eigen", "cuda", "cusparse".
    all_depths: every hybrid depth instead of one schedule.
    all_schedules: every hybrid depth and every other scheme.
    gradient: write the gradient of the input to this .npy file.
    force: run what exceeds 2e10 FLOPs or 8 GiB of live values, too, and replace a gradient file of others.
    no_prediction: of recurrent models: run at once, without measuring rates.
    """
    values = {name: value for name, value in locals().items() if name not in ("model", "progress", "example_input")}
    return run("validate", model, example_input=example_input, progress=progress, **_settings(values))


@documented
def study(file: Any, *,
          jobs: int | None = None, db: PathLike | None = None, progress: Progress | bool | None = None) -> Result:
    """Evaluates a grid of what-if points and answers what a study file asks; scores are seconds or FLOPs.

    jobs: points at the same time.
    """
    values = {name: value for name, value in locals().items() if name not in ("file", "progress")}
    return run("study", file, progress=progress, **_settings(values))


@documented
def training(file: Any, *,
             machine: PathLike | None = None, launch: Literal["eager", "graph"] | None = None,
             library: str | None = None, batch: int | None = None,
             optimum: int | None = None, timeline: Literal["labels", "kinds", "none"] | None = None,
             costs: bool | None = None, db: PathLike | None = None, progress: Progress | bool | None = None) -> Result:
    """Simulates the training steps of a file: pipeline- and data-parallel schedules, times in the file's units.

    machine: a machine file instead of that of the file, as the next three where its costs come from a network.
    launch: how a GPU starts kernels.
    library: whose sparse products a GPU has.
    batch: samples of a step.
    optimum: seconds to look for the shortest step, for each problem.
    timeline: what the text shows of timelines.
    costs: add a table of the costs of layers.
    """
    values = {name: value for name, value in locals().items() if name not in ("file", "progress")}
    return run("training", file, progress=progress, **_settings(values))


@documented
def solve(model: Any, *,
          pattern: Literal["guaranteed", "sample"] | None = None, method: Sequence[str] | str | None = None,
          form: Literal["scaled", "unit"] | None = None, tolerance: float | None = None, omega: float | None = None,
          warm_start: int | None = None, workers: int | None = None, batch: int | None = None,
          input_index: int | None = None, label: int | None = None, loss_seed: int | None = None,
          forward: bool | None = None, earlier: int | None = None, formulas: bool | None = None,
          progress: Progress | bool | None = None) -> Result:
    """Solves back-propagation as a triangular system by iterative methods: errors and FLOPs by iteration.

    model: a path (YAML or ONNX), a dict, an upsweep.Model.
    method: "jacobi", "richardson", "bicgstab", "hybrid:B", several, or "all".
    form: the diagonal: derivatives of activations, or 1.
    tolerance: of the residual against the right side.
    omega: relaxation of richardson.
    warm_start: start from the gradients of this input of the sample, from 0.
    forward: sweeps of approximate forward propagation too.
    earlier: the same with the slopes at this input of the sample.
    formulas: complexity formulas beside exact counts.
    """
    values = {name: value for name, value in locals().items() if name not in ("model", "progress")}
    return run("solve", model, progress=progress, **_settings(values))


@documented
def anchors(*files: PathLike,
            family: str | None = None, device: str | None = None, machine: Sequence[PathLike] | PathLike | None = None,
            fit_out: PathLike | None = None, force: bool | None = None, db: PathLike | None = None,
            progress: Progress | bool | None = None) -> Result:
    """Predicts published times (milliseconds) on named GPUs: errors as shares of what was measured.

    files: tables of published times (CSV), or databases of validations.
    family: rows of this family alone: "spgemm", "scan", "recurrent", ...
    device: rows whose device has this in its name.
    machine: machine files of devices, before the presets.
    fit_out: fit the one machine to its rows, and write it here.
    force: replace a file there that upsweep did not write.
    """
    values = {name: value for name, value in locals().items() if name not in ("files", "progress")}
    return run("anchors", *files, progress=progress, **_settings(values))


@documented
def order(chains: PathLike | Sequence[Mapping[str, Sequence[int]]], *, machines: int | None = None,
          seconds: float | None = None, progress: Progress | bool | None = None) -> Result:
    """The shortest orders in which machines make the Jacobians of chains: `instances`, makespans in multiply-adds.

    chains: a table (CSV, plain or .gz), or rows with "sizes" (d_0 ... d_q, numbers) and "edges" (derivatives of each link).
    machines: identical machines, each does one operation at a time; 1 by default.
    seconds: limit of the search for a chain; 10 by default. Then the best order so far stands, with a bound.
    """
    table = chains if isinstance(chains, (str, os.PathLike)) else Rows(chains, ["sizes", "edges"])
    return run("order", table, progress=progress, machines=machines, seconds=seconds)


@documented
def machines(name: str | None = None, *, out: PathLike | None = None, force: bool | None = None) -> Result:
    """The machines that `machine` knows by name: `machines`, a table of their figures with the sources.

    name: this one alone.
    out: write its machine file here, to change it.
    force: replace a file there that was changed.
    """
    return run("machines", *([] if name is None else [name]), out=out, force=force)


@documented
def new(kind: Literal["model", "recurrent", "chain", "machine", "study", "training", "train"],
        path: PathLike | None = None, *, force: bool | None = None) -> Result:
    """Writes a commented file to start from; `file` is its path.

    kind: of what.
    path: where; KIND.yaml in this folder by default, "-" for nowhere: `text` is what it would hold.
    force: replace a file there that was changed.
    """
    return run("new", kind, *([] if path is None else [path]), force=force)


def pays(model: Any, example_input: Any = None, **settings: Any) -> Record:
    """Whether the scan pays: the verdict of search(), with `pays` ("yes", "only-if-ops-are-whole", "no"), the ratios of
    the best scan to plain back-propagation (seconds or FLOPs), and a `sentence`. Takes what search() takes."""
    return search(model, example_input, **settings).verdict


def figure(kind: str, db: PathLike, *, run_id: int | None = None, study_id: int | None = None,
           number: int | None = None, width: int | None = None, theme: Literal["light", "dark"] | None = None) -> Figure:
    """A figure of the page about a stored run or study, which notebooks show; Node.js draws it.

    kind: "depth", "op-flops", "schedule", "timeline", "study-lines" and others of `upsweep plot --help`.
    db: the SQLite file that a command was given.
    run_id: number of the run, or study_id: that of the study.
    number: which one, where a study has several.
    width: pixels.
    theme: "light" or "dark".
    """
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "figure.svg")
        run("plot", kind, db=db, run=run_id, study=study_id, number=number, width=width, theme=theme, out=out)
        return Figure(out.read_text(encoding="utf-8"))
