"""What settings mean that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

_MEANINGS = {
    "model": "a path (YAML or ONNX), a dict, an upsweep.Model, or a torch module with an example_input.",
    "example_input": "of a torch module: a tensor, or a tuple of them, with a batch of 1; its export goes by their shapes.",
    "pattern": "which Jacobian entries count: those the architecture guarantees, or those at the sample inputs.",
    "workers": "workers; the widest level has as many by default, or the machine.",
    "machine": "a machine file, or a name that machines() lists: answers are its seconds instead of FLOPs.",
    "launch": "how a GPU starts kernels: one by one, as a graph, or as one kernel for each level.",
    "library": 'whose sparse products a GPU has, of those with rates in its file, or "roofline".',
    "batch": "inputs of an iteration, or sequences.",
    "setup": "seconds that a scan takes once, to be paid back.",
    "execution": "with barriers between levels, or as soon as operands are there.",
    "db": "an SQLite file that keeps what was found.",
    "schedule": '"linear", "blelloch", "hybrid:L" and others of `upsweep profile --help`.',
    "input": 'of ONNX: shapes of inputs with a batch of 1, {"x": [1, 3, 224, 224]}.',
    "output": "of ONNX: which output; the first by default.",
    "fold_norms": "of ONNX: take batch normalisations into the convolutions before them; True by default.",
    "prune": 'of ONNX: "magnitude_global=0.9", "magnitude_layer=S", "erk=S", "n_m=2:4", "per_layer=FILE.csv:COLUMN".',
    "count_limit": "pairs of entries that counting one schedule may go through.",
    "count_memory": 'bytes that patterns of products may take meanwhile, or a text: "8 GiB".',
    "estimate": "estimate what takes longer to count, until half the 95 % interval is this share of the FLOPs.",
    "estimate_seed": "seed of the rows that are drawn.",
    "steps": "of recurrent models: steps instead of those of the file.",
    "hidden": "of recurrent models: hidden elements instead of those of the file.",
    "forward_kernels": "of recurrent models on a machine: kernels of a forward step.",
    "backward_kernels": "of recurrent models on a machine: kernels of a sequential backward step.",
    "host_launch_us": "of recurrent models on a machine: least microseconds between two launches.",
    "progress": "a function told what is under way, which stops it by False; True or None: tqdm; False: nothing.",
    "input_index": "which input of the sample, from 0.",
    "label": "loss gradient of softmax cross-entropy for this class, from 0.",
    "loss_seed": "seed of the standard normal loss gradient.",
    "file": "a path (YAML), or a dict with what such a file says.",
}


def documented(function: _Function) -> _Function:
    """Gives the docstring a line for each parameter, in their order: its own, or what all commands mean by that."""
    if not function.__doc__:  # python3 -OO
        return function
    code = function.__code__
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    lines = [line.strip() for line in function.__doc__.strip().split("\n")]
    own = {line.split(":")[0]: line for line in lines}
    others = [line for line in lines if line.split(":")[0] not in names]
    meant = [own.get(name) or f"{name}: {_MEANINGS[name]}" for name in names]
    function.__doc__ = "\n".join([*others, *([""] if others == others[:1] else []), *meant])
    return function
