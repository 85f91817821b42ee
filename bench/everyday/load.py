"""Read the questions, write the datasets, and open the tables that the truth is asked of."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

import duckdb

from bench.everyday import making
from bench.everyday.datasets import DATASETS

Expect = Literal["answer", "ask", "refuse"]

TAGS = frozenset(
    "count sum average extreme top group filter compare date unit join share ratio change distinct "
    "list null negation typo nickname wrong-name vague statistics chart follow-up unanswerable "
    "ambiguous".split()
)
TODAY = date(2025, 3, 3)
_HERE = Path(__file__).resolve().parent
_TRUTH = ".truth"


@dataclass(frozen=True)
class Item:
    """A question about one dataset, or a follow-up to the question that holds it in `then`.

    `sql` and each of `also` give rows that are right, in that order where `ordered`. `sql` is empty
    where the right thing is to ask back or to refuse; `also` then has the readings to be offered.
    """

    id: str
    dataset: str
    ask: str
    sql: str
    ordered: bool
    also: tuple[str, ...]
    expect: Expect
    tags: frozenset[str]
    then: tuple[Item, ...] = ()


def load() -> list[Item]:
    """All questions, by dataset and number; follow-ups are in the `then` of what they follow."""
    return [
        item_of(path.stem, raw)
        for path in sorted((_HERE / "questions").glob("*.json"))
        for raw in json.loads(path.read_text(encoding="utf-8"))
    ]


def conversations(item: Item) -> Iterator[tuple[Item, ...]]:
    """The question alone, then with each follow-up and all that was asked before it."""
    yield (item,)
    for place in range(len(item.then)):
        yield (item, *item.then[: place + 1])


def held_out(dataset: str) -> bool:
    """Whether a dataset is kept for measuring, and its failures are not to be looked at."""
    return hashlib.sha256(f"everyday/{dataset}".encode()).digest()[0] % 2 == 1


def build(folder: Path) -> None:
    """Write every dataset into `folder/NAME/`; what an unchanged maker has written is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, dataset in DATASETS.items():
        stamp = folder / _TRUTH / f"{name}.made"
        digest = _digest(name)
        if (folder / name).is_dir() and stamp.is_file() and stamp.read_text() == digest:
            continue
        with tempfile.TemporaryDirectory(dir=folder, prefix=".making-") as made:
            making.write(dataset, Path(made, "given"), Path(made, "truth"))
            stamp.unlink(missing_ok=True)
            for part, place in (("given", folder / name), ("truth", folder / _TRUTH / name)):
                shutil.rmtree(place, ignore_errors=True)
                place.parent.mkdir(exist_ok=True)
                Path(made, part).rename(place)
            stamp.write_text(digest)


def sources(folder: Path, dataset: str) -> tuple[Path, ...]:
    """The files of a dataset that was built, as a person would hand them over."""
    return tuple(sorted((folder / dataset).iterdir()))


def truth(folder: Path, dataset: str) -> duckdb.DuckDBPyConnection:
    """A database in memory with the tables of a dataset that was built, as its SQL names them."""
    connection = duckdb.connect()
    for path in sorted((folder / _TRUTH / dataset).glob("*.parquet")):
        text = os.fspath(path).replace("'", "''")
        connection.execute(f"CREATE TABLE \"{path.stem}\" AS FROM read_parquet('{text}')")
    return connection


def item_of(dataset: str, raw: dict[str, Any]) -> Item:
    """A question as it is written in a file of questions."""
    return Item(
        id=raw["id"],
        dataset=dataset,
        ask=raw["ask"],
        sql=raw["sql"],
        ordered=raw["ordered"],
        also=tuple(raw["also"]),
        expect=raw["expect"],
        tags=frozenset(raw["tags"]),
        then=tuple(item_of(dataset, follow) for follow in raw.get("then", ())),
    )


def _digest(name: str) -> str:
    maker = (_HERE / "datasets" / f"{name}.py").read_bytes()
    return hashlib.sha256(maker + (_HERE / "making.py").read_bytes()).hexdigest()
