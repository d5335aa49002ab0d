"""What functions return: objects over the JSON of a command, tables with columns."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import html
import json
import re
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from ._errors import Error
from ._library import library


class _Packed(Sequence):
    """Rows of a long table, dicts when they are asked for: the library packs the names of columns once."""

    def __init__(self, columns: list[str], cells: list[list[Any]]) -> None:
        self.columns, self.cells = columns, cells

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return _Packed(self.columns, self.cells[index])
        return dict(zip(self.columns, self.cells[index]))

    def column(self, name: str) -> list[Any]:
        at = self.columns.index(name)
        return [row[at] for row in self.cells]


def _unpacked(value: Any) -> Any:
    return list(value) if isinstance(value, _Packed) else value


def _is_table(value: Any) -> bool:
    if isinstance(value, _Packed):
        return True
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    return Table(value) if _is_table(value) else value


def _column(values: list[Any]) -> Any:
    """A NumPy array where NumPy is installed; numbers with gaps have NaN there."""
    try:
        import numpy
    except ImportError:
        return values
    if any(isinstance(value, (dict, list)) for value in values):
        column = numpy.empty(len(values), dtype=object)
        column[:] = values
        return column
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values) and all(type(value) in (int, float) for value in numbers):
        return numpy.array([float("nan") if value is None else value for value in values], dtype=float)
    return numpy.array(values)


def _parsed(text: str) -> dict[str, Any]:
    """Packed JSON as objects. They form no cycles, and looking for some all the time takes long."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        found = json.loads(text)
    finally:
        if was_on:
            gc.enable()
    if not isinstance(found, dict):
        return {"rows": found}
    return {name: _Packed(**value) if isinstance(value, dict) and value.keys() == {"columns", "cells"} else value
            for name, value in found.items()}


class Table:
    """Rows with named columns: `table.flops` or `table["flops"]` is a column, `table[0]` a row, `to_pandas()` a frame."""

    def __init__(self, rows: list[dict[str, Any]] | _Packed) -> None:
        self._rows = rows

    @property
    def columns(self) -> list[str]:
        if isinstance(self._rows, _Packed):
            return list(self._rows.columns)
        names: dict[str, None] = {}
        for row in self._rows:
            names.update(dict.fromkeys(row))
        return list(names)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Record]:
        return (Record(row) for row in self._rows)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if isinstance(self._rows, _Packed) and key in self._rows.columns:
                return _column(self._rows.column(key))
            if not any(key in row for row in self._rows):
                raise KeyError(f"{key!r} is no column, accepted are {', '.join(self.columns)}")
            return _column([row.get(key) for row in self._rows])
        return Table(self._rows[key]) if isinstance(key, slice) else Record(self._rows[key])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.columns]

    def to_dict(self) -> list[dict[str, Any]]:
        """The rows as they are."""
        return _unpacked(self._rows)

    def to_numpy(self) -> dict[str, Any]:
        """All columns by name."""
        return {name: self[name] for name in self.columns}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self.columns)})"

    def _repr_html_(self, most: int = 50) -> str:
        """The first rows, for notebooks."""
        names = [name for name in self.columns if not any(isinstance(row.get(name), (dict, list)) for row in self._rows)]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_shown(row.get(name)))}</td>" for name in names) + "</tr>"
                       for row in self._rows[:most])
        rest = f"<caption>{most} of {len(self)} rows</caption>" if len(self) > most else ""
        return f"<table>{rest}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class Record:
    """Named values as attributes: `result.best.schedule`. Lists of objects are tables."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, texts and numbers; the JSON of the command."""
        return self._values

    def _read(self) -> dict[str, Any]:
        """The values, some of them maybe packed."""
        return self._values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        values = self._read()
        if name not in values:
            raise AttributeError(f"{name!r} is not there, accepted are {', '.join(values)}")
        return _wrapped(values[name])

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._read()[name])

    def __contains__(self, name: object) -> bool:
        return name in self._read()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._read()]

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == (other.to_dict() if isinstance(other, Record) else other)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({json.dumps(self.to_dict())})"


_FIGURES = {"profile": ("op-flops", "crossover"), "search": ("depth", "crossover"), "validate": ("measured", "predicted"),
            "training": ("variants", "step-timeline"), "train": ("losses",), "anchors": ("anchors",),
            "study": ("study-lines", "study-map", "study-front")}


class Result(Record):
    """What a command found. `str()` is what the program prints; everything else is read when it is asked for."""

    def __init__(self, command: str, handle: int, notes: list[str]) -> None:
        super().__init__({})
        self.command = command
        self.notes = notes
        self._handle = handle
        self._is_read = False
        weakref.finalize(self, library().upsweep_result_close, handle)

    def __copy__(self) -> Result:
        return self  # it does not change, and its handle is one

    def __deepcopy__(self, _memo: Any) -> Result:
        return self

    def __reduce__(self) -> Any:
        raise TypeError("a result belongs to its process: send to_dict() or str()")

    def _text(self, form: str) -> str:
        length = ctypes.c_size_t()
        found = library().upsweep_result_text(self._handle, form.encode(), ctypes.byref(length))
        # Decoded where it lies: it may have 100 MB.
        return str((ctypes.c_char * length.value).from_address(found), "utf-8", "replace") if found else ""

    def _read(self) -> dict[str, Any]:
        if not self._is_read:
            self._values = _parsed(self._text("packed") or "{}")
            self._is_read = True
        return self._values

    def to_dict(self) -> dict[str, Any]:
        self._values = {name: _unpacked(value) for name, value in self._read().items()}
        return self._values

    def to_csv(self) -> str:
        """The main table as CSV, as --format csv prints it."""
        return self._text("csv")

    def __str__(self) -> str:
        return self._text("table")

    def __repr__(self) -> str:
        return f"<upsweep {self.command}: {', '.join(self._read())}>"

    def _repr_html_(self) -> str:
        """The verdict, the figures of what a database keeps, what the program prints, and tables, for notebooks."""
        verdict = self._read().get("verdict")
        sentence = verdict.get("sentence", "") if isinstance(verdict, dict) else ""
        tables = [(name, value) for name, value in self._read().items() if _is_table(value)]
        shown = "".join(f"<details><summary>{html.escape(name)} ({len(value)})</summary>{Table(value)._repr_html_()}"
                        "</details>" for name, value in tables)
        return f"<p><b>{html.escape(sentence)}</b></p>{''.join(self._figures())}<pre>{html.escape(str(self))}</pre>{shown}"


    def _figures(self) -> list[str]:
        """Those that the page of its database would have, where Node.js draws them."""
        from ._commands import figure

        pictures = []
        for note in self.notes:
            stored = re.fullmatch(r"stored in (.*) as (run|study)s? ([0-9]+).*", note)
            for kind in _FIGURES.get(self.command, ()) if stored else ():
                with contextlib.suppress(Error):  # nothing to show in it, or nobody to draw it
                    pictures.append(figure(kind, stored[1], **{f"{stored[2]}_id": int(stored[3])}).svg)
        return pictures


class Figure:
    """An SVG picture, which notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg
