"""The sets of questions, with what is right for each; sets that are not there are left out."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from bench.everyday import Item as Asked
from bench.everyday import held_beside
from bench.reading.short import databases, short_questions
from bench.support_catalogue import kept_sources

SETS = ("dev", "train", "queries", "everyday", "beside", "short", "analytical")
TEMPLATES = ("dev", "train", "queries", "short")
"""Sets that no person asked in these words: from templates, or worded from a statement."""
FOLDS = 5  # of the databases, in learning: models meet none of their fold's
_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
_FILES = {
    "dev": "questions_dev/questions.json",
    "train": "questions_train/charts.json",
    "queries": "questions_train/queries.json",
}
_TALKS = Path(__file__).parents[1] / "proposals" / "talks.yaml"
_APART = "apart"
_ALSO_ANALYTICAL = Path(__file__).with_name("analytical_also.json")
"""What is as right: the columns asked for alone, shares as fractions, names in one column."""
_OPEN_OF = 3
_TODAY = date(2025, 1, 1)


@dataclass(frozen=True, slots=True)
class Item:
    """One phrasing of one question. Phrasings of the same truth share `gold`.

    `rows` are the right ones where the set tells them (of a chart: x, y and series); otherwise
    those of `sql`, and those of `also` are as right. `chart` is empty where none is asked for.
    """

    id: str
    set: str
    database: str
    paths: tuple[Path, ...]
    question: str
    gold: str
    sql: str
    rows: tuple[tuple[Any, ...], ...] | None = None
    also: tuple[str, ...] = ()
    ordered: bool = False
    chart: str = ""
    hardness: str = ""
    expect: str = "answer"
    tags: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    today: date = field(default=_TODAY)

    @property
    def dialect(self) -> str:
        """Which SQL `sql` is written in."""
        return "sqlite" if self.set in TEMPLATES else "duckdb"

    @property
    def held_out(self) -> bool:
        """Whether nobody looks at its failures: a fixed third, of everyday questions a half."""
        if self.set == "everyday":
            apart = getattr(importlib.import_module("bench.everyday"), "held_out")  # noqa: B009
            return bool(apart(self.database))
        if self.set == "talks":
            return _APART in self.tags
        return self.set == "beside" or (self.set == "dev" and held_out(self.database))


def held_out(database: str) -> bool:
    """True for the fixed third of the databases that nobody looks into."""
    return fold_of(database, _OPEN_OF) == 0


def fold_of(database: str, folds: int) -> int:
    """The fold, from 0, in which all questions over that database lie."""
    return int(hashlib.sha256(database.encode()).hexdigest(), 16) % folds


def data_folder() -> Path:
    """Where `questions_dev` and `questions_train` lie: ASSAY_QUESTIONS, or beside the checkout."""
    text = os.environ.get("ASSAY_QUESTIONS")
    if text is None:
        return _DATA
    folder = Path(text)
    return folder.parent if folder.name in ("questions_dev", "questions_train") else folder


def load(names: Sequence[str], folder: Path, function: Callable[[str], None]) -> list[Item]:
    """The items of these sets; `told` hears which set is not there, and why."""
    items: list[Item] = []
    for name in names:
        if name == "everyday":
            items += _everyday(function)
        elif name == "beside":
            items += _beside(folder, function)
        elif name == "short":
            items += _short(folder)
        elif name == "analytical":
            items += _analytical(folder, function)
        elif name == "talks":
            items += _talks(folder)
        elif (file := folder / _FILES[name]).exists():
            items += _shared(name, json.loads(file.read_text()), folder, function)
        else:
            function(f"{name}: left out, there is no {file}")
    return items


def sample(items: Sequence[Item], limit: int | None) -> list[Item]:
    """At most `limit` items of each set, the same ones every time, spread over its databases."""
    if limit is None:
        return list(items)
    chosen: set[str] = set()
    for name in {item.set for item in items}:
        mixed = sorted(
            (hashlib.sha256(item.id.encode()).hexdigest(), item.id)
            for item in items
            if item.set == name
        )
        chosen |= {identity for _, identity in mixed[:limit]}
    return [item for item in items if item.id in chosen]


def _shared(
    name: str, entries: Sequence[dict[str, Any]], folder: Path, function: Callable[[str], None]
) -> Iterator[Item]:
    absent: set[str] = set()
    for entry in entries:
        database = entry["db"]
        places = [
            folder / f"questions_{part}/databases/{database}.sqlite" for part in ("dev", "train")
        ]
        path = next((place for place in places if place.exists()), None)
        if path is None:
            absent.add(database)
            continue
        gold = f"{name}/{entry['id']}"
        asked = entry.get("questions") or [entry["question"]]
        for number, question in enumerate(dict.fromkeys(q for q in asked if q.strip())):
            yield Item(
                id=f"{gold}/{number}",
                set=name,
                database=database,
                paths=(path,),
                question=question,
                gold=gold,
                sql=entry["sql"],
                rows=_rows(entry),
                ordered=name == "queries" and "order by" in " ".join(entry["sql"].lower().split()),
                chart=entry.get("chart", ""),
                hardness=entry.get("hardness", ""),
            )
    if absent:
        function(f"{name}: left out {len(absent)} databases that are not there: {sorted(absent)}")


def _rows(entry: dict[str, Any]) -> tuple[tuple[Any, ...], ...]:
    if "rows" in entry:
        return tuple(tuple(row) for row in entry["rows"])
    return tuple((r.get("x_data"), r.get("y_data"), r.get("classify")) for r in entry["values"])


def _short(folder: Path) -> Iterator[Item]:
    """Those of the templates whose answer does not hang on a tie."""
    sources = kept_sources()
    for path in databases(folder):
        catalogue, _, _ = sources.open_together((path,))
        run = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        run.text_factory = lambda raw: raw.decode("utf-8", "replace")
        for number, short in enumerate(short_questions(catalogue, path.stem)):
            keys = run.execute(short.sorted_by).fetchall() if short.sorted_by else []
            if len(keys) > 1 and keys[-1] == keys[-2]:
                continue
            identity = f"short/{path.stem}/{number}"
            yield Item(
                id=identity,
                set="short",
                database=path.stem,
                paths=(path,),
                question=short.question,
                gold=identity,
                sql=short.sql,
                rows=tuple(run.execute(short.sql).fetchall()),
            )
        run.close()


def _analytical(folder: Path, function: Callable[[str], None]) -> Iterator[Item]:
    """Questions of analysts over two public databases: growth, shares, gaps, cohorts."""
    file = folder / "questions_analytical" / "questions.json"
    if not file.exists():
        function(f"analytical: left out, there is no {file}")
        return
    also = json.loads(_ALSO_ANALYTICAL.read_text())
    for entry in json.loads(file.read_text()):
        identity = f"analytical/{entry['id']}"
        yield Item(
            id=identity,
            set="analytical",
            database=Path(entry["database"]).stem,
            paths=(folder / "databases" / entry["database"],),
            question=entry["question"],
            gold=identity,
            sql=entry["truth"],
            also=tuple(also.get(entry["id"], ())),
        )


def _talks(folder: Path) -> Iterator[Item]:
    """Turns of conversations, each after those before it; over the data that is there. Each stands
    for a database of its own: what is said in one tells nothing of the next."""
    example = Path(tempfile.gettempdir()) / "assay-bench-talks" / "shop.sqlite"
    if not example.exists():
        from examples.retailer import write_retailer

        write_retailer(example.parent)
    for held in yaml.safe_load(_TALKS.read_text(encoding="utf-8")).values():
        path = folder / held["data"] if held["data"] else example
        for name, talk in held["talks"].items():
            values = [turn["say"] for turn in talk["turns"]]
            for number, turn in enumerate(talk["turns"] if path.exists() else ()):
                identity = f"talks/{path.stem}/{name}/{number}"
                yield Item(
                    id=identity,
                    set="talks",
                    database=f"{path.stem}/{name}",
                    paths=(path,),
                    question=turn["say"],
                    gold=identity,
                    sql=turn["sql"],
                    tags=(_APART,) if talk.get("apart") else (),
                    after=tuple(values[:number]),
                )


def _everyday(function: Callable[[str], None]) -> Iterator[Item]:
    """The project's own questions, over tables that are made when they are first needed."""
    try:
        everyday = importlib.import_module("bench.everyday")
    except ModuleNotFoundError as error:
        if error.name != "bench.everyday":
            raise
        function("everyday: left out, bench.everyday is not there yet")
        return
    folder = everyday_folder()
    everyday.build(folder)
    today = getattr(everyday, "TODAY", _TODAY)
    for question in everyday.load():
        paths = tuple(everyday.sources(folder, question.dataset))
        for *before, item in everyday.conversations(question):
            after = tuple(earlier.ask for earlier in before)
            yield _as_people_ask("everyday", item, paths, after, today)


def _beside(folder: Path, function: Callable[[str], None]) -> Iterator[Item]:
    """Everyday questions over public tables in the folder with the data."""
    found = list(held_beside.load(folder))
    if not found:
        function(f"beside: left out, their tables are not in {folder}")
    for question, paths in found:
        yield _as_people_ask("beside", question, paths, (), _TODAY)


def _as_people_ask(
    name: str, item: Asked, paths: tuple[Path, ...], after: tuple[str, ...], today: date
) -> Item:
    return Item(
        id=f"{name}/{item.id}",
        set=name,
        database=item.dataset,
        paths=paths,
        question=item.ask,
        gold=f"{name}/{item.id}",
        sql=item.sql,
        also=item.also,
        ordered=item.ordered,
        expect=item.expect,
        tags=tuple(sorted(item.tags)),
        after=after,
        today=today,
    )


def everyday_folder() -> Path:
    """Where the tables of the everyday questions are made."""
    return Path(tempfile.gettempdir()) / "assay-bench-everyday"
