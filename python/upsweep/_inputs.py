"""What functions take as a model: files, descriptions and arrays in memory, torch modules."""

from __future__ import annotations

import ctypes
import io
import json
import operator
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import Error, code_error
from ._library import library


class Model:
    """A model in memory: its description and arrays, without files.

    description: what a model file says, as a dict or as its text (YAML).
    masks: by the name of an operator an array of its weight's shape; not 0 is kept.
    values: likewise the weights themselves; 0 is pruned.
    inputs: samples, (batch, channels, height, width) or (batch, features), for the pattern "sample" and for runs.
    biases: likewise by the name of an operator, beside values.
    """

    def __init__(self, description: Mapping[str, Any] | str, *, masks: Mapping[str, Any] | None = None,
                 values: Mapping[str, Any] | None = None, biases: Mapping[str, Any] | None = None,
                 inputs: Any | None = None) -> None:
        added: dict[str, Any] = {}
        self.files: dict[str, bytes] = {}
        if masks is not None:
            added["weights"] = {"masks": "masks"}
            self._keep("masks", masks)
        if values is not None:
            added.setdefault("weights", {})["values"] = "values"
            self._keep("values", {**values, **{name + ".bias": array for name, array in (biases or {}).items()}})
        elif biases is not None:
            raise ValueError("biases are given without values, accepted are both")
        if inputs is not None:
            added["sample"] = {"inputs": "inputs.npy"}
            self.files["inputs.npy"] = _npy(inputs)
        if isinstance(description, str):
            self.text = description + "".join(f"\n{key}: {as_json(value)}" for key, value in added.items()) + "\n"
        else:
            merged = dict(description)
            for key, value in added.items():
                merged[key] = {**merged.get(key, {}), **value}
            self.text = as_json(merged)

    def _keep(self, folder: str, arrays: Mapping[str, Any]) -> None:
        for name, array in arrays.items():
            self.files[f"{folder}/{name}.npy"] = _npy(array)


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays, and paths, as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a {type(value).__name__} is no value of JSON")


def as_json(value: Any) -> str:
    """As the library reads it."""
    return json.dumps(value, default=_plain)


def _npy(array: Any) -> bytes:
    import numpy

    to = io.BytesIO()
    numpy.save(to, numpy.ascontiguousarray(array), allow_pickle=False)
    return to.getvalue()


def _exported(module: Any, example_input: Any) -> bytes:
    """A torch module as ONNX. The trace runs it once, in evaluation mode."""
    import torch

    if example_input is None:
        raise TypeError("a torch module is given without example_input, accepted is a tensor that it takes")
    example = example_input if isinstance(example_input, tuple) else (example_input,)
    to = io.BytesIO()
    was_training = module.training
    module.eval()
    try:
        try:
            torch.onnx.export(module, example, to, dynamo=False)
        except TypeError:  # before torch 2.5 there was no other exporter
            torch.onnx.export(module, example, to)
    finally:
        module.train(was_training)
    return to.getvalue()


def _is_torch(model: Any) -> bool:
    torch = sys.modules.get("torch")  # who has a module has imported it
    return torch is not None and isinstance(model, torch.nn.Module)


class Rows:
    """Rows as a file with commas."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
        lines = [",".join(columns)]
        for row in rows:
            lines.append(",".join(" ".join(str(operator.index(number)) for number in row[column]) for column in columns))
        self.text = "\n".join(lines) + "\n"


class Handle:
    """An input of the library, open while this object is."""

    def __init__(self, model: Any, example_input: Any = None) -> None:
        self.value = None
        if isinstance(model, (str, os.PathLike)):
            self.value = library().upsweep_input_file(os.fsencode(model))
        elif isinstance(model, Model):
            self._from_memory("model.yaml", model.text.encode())
            for path, content in model.files.items():
                code = library().upsweep_input_add(self.value, path.encode(), content, len(content))
                if code != 0:
                    self.close()
                    raise code_error(code, f"{path} cannot be put beside the model: accepted are a TMPDIR with room, and "
                                           "names of operators that are names of files")
        elif isinstance(model, Mapping):
            self._from_memory("model.yaml", as_json(model).encode())
        elif isinstance(model, bytes):
            self._from_memory("model.onnx", model)
        elif isinstance(model, Rows):
            self._from_memory("table.csv", model.text.encode())
        elif _is_torch(model):
            self._from_memory(f"{type(model).__name__}.onnx", _exported(model, example_input))  # the model's name
        else:
            raise TypeError(f"a model is a {type(model).__name__}, accepted are a path, a dict, an upsweep.Model, the "
                            "bytes of a file, and a torch module")
        if not self.value:
            raise Error("out of memory")

    def _from_memory(self, name: str, content: bytes) -> None:
        self.value = library().upsweep_input_bytes(name.encode(), content, len(content))

    def close(self) -> None:
        if self.value:
            library().upsweep_input_close(self.value)
        self.value = None


def array_of(handles: list[Handle]) -> Any:
    """Handles as upsweep_run() takes them."""
    return (ctypes.c_void_p * max(1, len(handles)))(*(handle.value for handle in handles))
