"""Read Parquet files, Arrow files and folders of Hugging Face. Only this module imports pyarrow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from redink.errors import FormatError, MissingExtraError

MAGIC = b"PAR1"
_BATCH = 1024


def is_parquet(path: str | Path) -> bool:
    """Return whether a file is Parquet, from its first bytes; False for an unreadable file."""
    if not Path(path).is_file():
        return False  # bytes read from a pipe here would be missing later
    try:
        with Path(path).open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _open(path: str | Path) -> Any:
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtraError("pyarrow", "scale") from error
    try:
        return ParquetFile(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(path, error) from error


def _damaged(path: str | Path, error: Exception) -> FormatError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return FormatError(f"cannot be read as Parquet ({reason})", path=path)


def count_rows(path: str | Path) -> int:
    """Return the number of rows of a Parquet file."""
    with _open(path) as file:
        rows: int = file.metadata.num_rows
        return rows


def column_names(path: str | Path) -> list[str]:
    """Return the column names of a Parquet file."""
    with _open(path) as file:
        return list(file.schema_arrow.names)


def read_cells(
    path: str | Path, columns: Sequence[str], *, first: int = 0, rows: int | None = None
) -> Iterator[tuple[Any, ...]]:
    """Yield the values of these columns, row by row."""
    with _open(path) as file:
        known = file.schema_arrow.names
        for name in columns:
            if name not in known:
                problem = f"has no column {name!r}; its columns are: {', '.join(map(repr, known))}"
                raise FormatError(problem, path=path)
        # only the required row groups are decompressed
        end = file.metadata.num_rows if rows is None else first + rows
        sizes = [file.metadata.row_group(n).num_rows for n in range(file.metadata.num_row_groups)]
        starts = list(accumulate(sizes, initial=0))
        groups = [n for n, size in enumerate(sizes) if starts[n] + size > first and starts[n] < end]
        if groups:
            skip = first - starts[groups[0]]
            yield from _read_groups(path, file, groups, columns, skip, end - first)


def _read_groups(
    path: str | Path, file: Any, groups: list[int], columns: Sequence[str], skip: int, rows: int
) -> Iterator[tuple[Any, ...]]:
    import pyarrow as pa

    try:
        options = {"columns": list(columns), "use_threads": False}
        for batch in file.iter_batches(_BATCH, row_groups=groups, **options):
            wanted = batch.slice(skip, rows)
            skip = max(0, skip - len(batch))
            rows -= len(wanted)
            yield from zip(*(wanted.column(name).to_pylist() for name in columns), strict=True)
            if rows <= 0:
                return
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(path, error) from error


# ---- Arrow files, and folders that the library ``datasets`` saved

_STATE, _SPLITS = "state.json", "dataset_dict.json"


def is_arrow(path: str | Path) -> bool:
    """Return whether a path is an Arrow file, or a folder saved by ``datasets``."""
    place = Path(path)
    if place.is_dir():
        return (place / _STATE).is_file() or (place / _SPLITS).is_file()
    return place.suffix.lower() in {".arrow", ".feather"} and place.is_file()


def read_arrow(path: str | Path) -> dict[str, list[Any]]:
    """Return the columns of an Arrow file, or of a folder with a single split."""
    place = Path(path)
    try:
        if (place / _SPLITS).is_file():
            splits = json.loads((place / _SPLITS).read_text(encoding="utf-8"))["splits"]
            if len(splits) != 1:
                raise FormatError(
                    f"has the splits {', '.join(splits)}. Try: {place / splits[0]}", path=path
                )
            place /= splits[0]
        files = [place]
        if place.is_dir():
            state = json.loads((place / _STATE).read_text(encoding="utf-8"))
            files = [place / file["filename"] for file in state["_data_files"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise FormatError(
            "is not a complete folder of a Hugging Face dataset", path=path
        ) from error
    columns: dict[str, list[Any]] = {}
    for file in files:
        for name, cells in _read_arrow_file(file).items():
            columns.setdefault(name, []).extend(cells)
    return columns


def _read_arrow_file(path: Path) -> dict[str, list[Any]]:
    try:
        import pyarrow as pa
        from pyarrow import feather
    except ImportError as error:
        raise MissingExtraError("pyarrow", "scale") from error
    try:
        with pa.OSFile(str(path)) as stream:
            is_file = stream.read(6) == b"ARROW1"
            stream.seek(0)
            table = feather.read_table(stream) if is_file else pa.ipc.open_stream(stream).read_all()
        columns: dict[str, list[Any]] = table.to_pydict()
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FormatError(f"cannot be read as Arrow ({reason})", path=path) from error
    return columns
