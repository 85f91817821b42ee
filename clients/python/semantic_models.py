"""Semantic models in files: those that are named, and those that lie beside the data.

Beside `orders.csv`, `orders.csv.gz` or `orders.sqlite` that is `orders.assay.yaml`; in a folder
`assay.yaml`, and the models of the files in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from assay.common.v1.data_pb2 import DataSource, SemanticModel
from clients.python.question import Question
from mesh.errors import SEMANTIC_MODEL_INVALID, SOURCE_NOT_FOUND, AssayError

ENDING = ".assay.yaml"
OF_A_FOLDER = "assay.yaml"
MOST_BYTES = 256 * 1024
_PACKED = frozenset((".gz", ".bz2", ".xz", ".zst", ".zip"))
_FILE_SCHEMES = ("sqlite", "duckdb")


def with_models(question: Question, sources: Sequence[DataSource]) -> None:
    """Put a question's semantic models into its sources, in place.

    Those that it names stand in place of any beside the data, and go with the first source: a
    model may speak of every table of a request. A statement is run as it is and needs none, unless
    what it is declared to mean may name a metric.
    Raises AssayError: SOURCE_NOT_FOUND, SEMANTIC_MODEL_INVALID for what is no text.
    """
    if question.without_models or (question.statement and question.means is None):
        return
    found = models_of(question.models, (*question.data, *question.databases))
    if not found:
        return
    if not sources:  # the only source that is kept: the server knows which
        raise AssayError(
            SEMANTIC_MODEL_INVALID,
            "a model is named and no source",
            hint="Name the source too, with --data, --db or --on.",
        )
    sources[0].semantic_models.extend(found)


def models_of(named: Sequence[str], places: Iterable[str]) -> list[SemanticModel]:
    """The models in the files that are named, else of those that lie beside the places.

    Raises AssayError: SOURCE_NOT_FOUND, SEMANTIC_MODEL_INVALID.
    """
    return [read_model(path) for path in (map(Path, named) if named else beside(places))]


def read_model(path: Path) -> SemanticModel:
    """The model in a file. Raises AssayError: SOURCE_NOT_FOUND, SEMANTIC_MODEL_INVALID."""
    try:
        with path.expanduser().open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise AssayError(SOURCE_NOT_FOUND, f"there is no semantic model at {path}") from None
    except OSError as error:
        raise AssayError(SEMANTIC_MODEL_INVALID, f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise AssayError(SEMANTIC_MODEL_INVALID, f"{path.name} is not text in UTF-8") from error
    if len(content) > MOST_BYTES:
        sentence = f"{path.name} is larger than {MOST_BYTES // 1024} KiB"
        raise AssayError(SEMANTIC_MODEL_INVALID, sentence)
    return SemanticModel(name=path.name, text=text)


def beside(places: Iterable[str]) -> list[Path]:
    """The files with models that lie beside data, each once, in the order of the data."""
    found: list[Path] = []
    for place in places:
        path = _path(place)
        if path is None:
            continue
        if path.is_dir():
            found += [path / OF_A_FOLDER, *sorted(path.glob(f"*{ENDING}"))]
        else:
            found.append(model_of(path))
    return [path for path in dict.fromkeys(found) if path.is_file()]


def model_of(path: Path) -> Path:
    """Where the model of a data file or a folder is looked for."""
    if path.is_dir():
        return path / OF_A_FOLDER
    name = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    return name.with_suffix("").with_name(name.stem + ENDING)


def _path(place: str) -> Path | None:
    """The file or folder of this machine that a place is, or None."""
    if "://" not in place:
        return Path(place).expanduser()
    parts = urlsplit(place)
    is_file = parts.scheme.split("+")[0] in _FILE_SCHEMES and not parts.netloc
    path = unquote(parts.path.removeprefix("/"))
    return Path(path).expanduser() if is_file and path and path != ":memory:" else None
