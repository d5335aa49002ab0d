"""Does parallel-scan back-propagation pay off for a network, and at which hybrid depth?

    import upsweep
    found = upsweep.search("resnet50.onnx", workers=16)
    print(found.verdict.sentence)
    found.candidates.to_pandas()

Commands of the program are functions: profile, search, validate, study, training, solve, anchors; pays() is the verdict
of a search, run() any command by name. Each takes files, or models in memory: dicts, upsweep.Model with NumPy arrays,
torch modules.
"""

from __future__ import annotations

from typing import Any

from ._commands import anchors, figure, machines, new, order, pays, profile, search, solve, study, training, validate
from ._errors import BackendError, Error, InputError, Interrupted, MismatchError, UsageError
from ._inputs import Model
from ._library import commands, version
from ._results import Figure, Record, Result, Table
from ._running import run

__all__ = [
    "BackendError", "Error", "Figure", "InputError", "Interrupted", "MismatchError", "Model", "Record", "Result", "Table",
    "UsageError", "anchors", "commands", "figure", "machines", "new", "order", "pays", "profile", "run", "search", "solve", "study",
    "training", "validate", "version",
]


def __getattr__(name: str) -> Any:
    """Other commands of the library: upsweep.explain("model.yaml", schedule="hybrid:1")."""
    if name.startswith("_") or name not in commands():
        raise AttributeError(f"module 'upsweep' has no attribute {name!r}")

    def command(*inputs: Any, **settings: Any) -> Result:
        return run(name, *inputs, **settings)

    command.__name__ = name
    command.__doc__ = commands()[name]["description"]
    return command
