"""Puts all questions to a reader, database by database, in as many processes as are allowed."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import duckdb

from bench.reading.constructs import constructs, difference
from bench.reading.judging import Judgement, Truth, judged
from bench.reading.protocol import Answered, Opened, Reader, Rows
from bench.reading.reader import reader
from bench.reading.running import BoundedRun, OverTimeError
from bench.reading.sets import Item
from bench.reading.truths import truths
from bench.reading.verdicts import GOOD, Result, Verdict, verdict
from bench.support_catalogue import Sources, kept_sources

CANDIDATES_AT_MOST = 300


def ask_all(
    items: Sequence[Item], processes: int, function: Callable[[int, int], None]
) -> list[Result]:
    """The results in the order of the items; `told` hears how many questions are done, of all."""
    by_source: dict[tuple[Path, ...], list[Item]] = defaultdict(list)
    for item in items:
        by_source[item.paths].append(item)
    groups = sorted(by_source.values(), key=len, reverse=True)
    results: list[Result] = []
    if processes == 1:
        for group in groups:
            results += _asked(group)
            function(len(results), len(items))
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context) as pool:
            for done in as_completed([pool.submit(_asked, group) for group in groups]):
                results += done.result()
                function(len(results), len(items))
    place = {item.id: number for number, item in enumerate(items)}
    return sorted(results, key=lambda result: place[result.item.id])


def _asked(items: Sequence[Item]) -> list[Result]:
    return asyncio.run(ask_over(items, reader(), kept_sources()))


async def ask_over(items: Sequence[Item], reader: Reader, sources: Sources) -> list[Result]:
    """The results of questions that are all over the same database."""
    first = items[0]
    catalogue, lookup, workspace = sources.open_together(first.paths)
    run = BoundedRun(workspace)
    database = Opened(first.database, first.paths, catalogue, lookup, run, first.today)
    right: dict[str, list[Truth]] = {}
    results = []
    for item in items:
        if item.gold not in right:
            right[item.gold] = truths(item)
        results.append(await _result(item, reader, database, right[item.gold]))
    return results


async def _result(item: Item, reader: Reader, database: Opened, right: Sequence[Truth]) -> Result:
    began = time.perf_counter()
    try:
        more = (item.after,) if item.after else ()
        answer = await reader.ask(item.question, database, *more)
    except Exception as error:  # a reader that fails in any way is what is counted
        return _crashed(item, error, time.perf_counter() - began)
    seconds = time.perf_counter() - began
    try:
        rank, number = _recalled(answer.candidates, right)
    except Exception as error:
        return _crashed(item, error, seconds)
    judgement = judged(answer.rows, right, answer.chart)
    reached = verdict(item, answer, judgement)
    return Result(
        item=item,
        verdict=reached,
        judgement=judgement,
        confidence=answer.confidence,
        word=answer.word,
        doubts=answer.doubts,
        chart=answer.chart.kind if answer.chart else "none",
        sql=answer.sql,
        reply=answer.reply,
        seconds=seconds - answer.executing_seconds,
        executing_seconds=answer.executing_seconds,
        rank=rank or _rank_of_answer(answer, judgement),
        candidates=number,
        outcome=answer.outcome,
        constructs=_constructs(item),
        kind="" if reached in GOOD else _kind(item, answer, reached, judgement),
    )


def _constructs(item: Item) -> tuple[str, ...]:
    series = bool(item.chart) and any(row[2] is not None for row in item.rows or ())
    found = constructs(item.sql, item.dialect, item.chart, series=series) if item.sql else ()
    return (*found, *(f"#{tag}" for tag in item.tags))


def _kind(item: Item, answer: Answered, reached: Verdict, judgement: Judgement) -> str:
    """What is wrong first."""
    if reached in (Verdict.ASKED, Verdict.REFUSED):
        return reached.value
    if item.expect != "answer":
        return "answered, not asked" if item.expect == "ask" else "answered, not refused"
    if answer.rows is None:
        return "no rows"
    if answer.rows.cut:
        return "too many rows"
    if judgement is Judgement.SWAPPED:
        return judgement.value
    return difference(item.sql, answer.sql, item.dialect)


def _rank_of_answer(answer: Answered, judgement: Judgement) -> int | None:
    return 1 if judgement is Judgement.RIGHT and answer.rows is not None else None


def _recalled(candidates: Iterable[Rows | None], right: Sequence[Truth]) -> tuple[int | None, int]:
    """The place of the first right candidate, and how many were looked at."""
    number = 0
    for number, rows in enumerate(itertools.islice(candidates, CANDIDATES_AT_MOST), start=1):
        if judged(rows, right) is Judgement.RIGHT:
            return number, number
    return None, number


def _crashed(item: Item, error: Exception, seconds: float) -> Result:
    kinds = (duckdb.Error, OverTimeError)
    where = "does not run" if isinstance(error, kinds) else type(error).__name__
    return Result(
        item=item,
        verdict=Verdict.CRASHED,
        judgement=Judgement.WRONG,
        confidence=0.0,
        word="",
        doubts=(),
        chart="none",
        sql="",
        reply=f"{where}: {error}",
        seconds=seconds,
        executing_seconds=0.0,
        rank=None,
        candidates=0,
        constructs=_constructs(item),
        kind=Verdict.CRASHED.value,
    )
