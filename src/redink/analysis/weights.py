"""Reading the weights of a network that thinc wrote, without thinc.

The file is a MessagePack map: names of the layers (`nodes`), their settings (`attrs`) and arrays
(`params`), in the same order. Only what such files contain is understood.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of a network: its settings and arrays."""

    settings: dict[str, Any]
    arrays: dict[str, Floats]


def read_layers(path: Path) -> dict[str, list[Layer]]:
    """The layers of a network by their names, those of one name in the order of the file."""
    content = unpack(path.read_bytes())
    layers: dict[str, list[Layer]] = {}
    for node, settings, arrays in zip(
        content["nodes"], content["attrs"], content["params"], strict=True
    ):
        layer = Layer(
            {key: unpack(value) for key, value in settings.items()},
            {key: _array(value) for key, value in arrays.items() if value is not None},
        )
        layers.setdefault(node["name"], []).append(layer)
    return layers


def _array(value: dict[bytes, Any]) -> Floats:
    flat = np.frombuffer(value[b"data"], dtype=np.dtype(value[b"type"]))
    return flat.reshape(value[b"shape"]).astype(np.float32, copy=False)


def unpack(data: bytes) -> Any:
    """The value in a MessagePack text."""
    value, end = _read(memoryview(data), 0)
    if end != len(data):
        raise ValueError("more than one value")
    return value


_NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
# Kinds whose size stands in one, two or four bytes after their code.
_SIZED = {
    **{0xC4 + n: ("bytes", size) for n, size in enumerate(">B >H >I".split())},  # noqa: SIM905
    **{0xD9 + n: ("text", size) for n, size in enumerate(">B >H >I".split())},  # noqa: SIM905
    **{0xDC + n: ("list", size) for n, size in enumerate(">H >I".split())},  # noqa: SIM905
    **{0xDE + n: ("map", size) for n, size in enumerate(">H >I".split())},  # noqa: SIM905
}


def _read(data: memoryview, at: int) -> tuple[Any, int]:
    code = data[at]
    at += 1
    if code < 0x80 or code >= 0xE0:
        return (code if code < 0x80 else code - 0x100), at
    if code in _CONSTANTS:
        return _CONSTANTS[code], at
    if code in _NUMBERS:
        form = _NUMBERS[code]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    if code in _SIZED:
        kind, form = _SIZED[code]
        size = struct.unpack_from(form, data, at)[0]
        return _READERS[kind](data, at + struct.calcsize(form), size)
    for first, last, kind in ((0x80, 0x8F, "map"), (0x90, 0x9F, "list"), (0xA0, 0xBF, "text")):
        if first <= code <= last:
            return _READERS[kind](data, at, code - first)
    raise ValueError(f"code {code:#x} is not understood")


def _read_bytes(data: memoryview, at: int, size: int) -> tuple[memoryview | bytes, int]:
    part = data[at : at + size]
    # Short ones are keys; long ones are arrays, which are not copied.
    return (bytes(part) if size < 32 else part), at + size


def _read_text(data: memoryview, at: int, size: int) -> tuple[str, int]:
    return str(data[at : at + size], "utf-8"), at + size


def _read_list(data: memoryview, at: int, size: int) -> tuple[list[Any], int]:
    values = []
    for _ in range(size):
        value, at = _read(data, at)
        values.append(value)
    return values, at


def _read_map(data: memoryview, at: int, size: int) -> tuple[dict[Any, Any], int]:
    flat, at = _read_list(data, at, 2 * size)
    return dict(zip(flat[::2], flat[1::2], strict=True)), at


_READERS: dict[str, Callable[[memoryview, int, int], tuple[Any, int]]] = {
    "bytes": _read_bytes,
    "text": _read_text,
    "list": _read_list,
    "map": _read_map,
}
