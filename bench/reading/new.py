"""The new reader as the bench asks it: by the model of the fold that has not seen the database."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from bench.reading.plans import carried_out, drawn
from bench.reading.protocol import Answered, Opened, Word
from bench.reading.sets import FOLDS, fold_of
from bench.training.probing import LocalProbe
from services.planner.domain.language.intent import Clarification, NotUnderstood
from services.planner.domain.reader.choice import thresholds
from services.planner.domain.reader.choice.model import ReaderModel, learnt, read_model
from services.planner.domain.reader.understand import understand


def word_of(confidence: float) -> Word:
    """How sure an answer is told."""
    if confidence >= thresholds.SURE:
        return "sure"
    return "likely" if confidence >= thresholds.LIKELY else "doubtful"


class NewReader:
    """Candidates of the grammar and of the former reader, ranked together."""

    def __init__(self, folder: Path | None) -> None:
        self._models: dict[int, ReaderModel] = {}
        self._folder = folder

    def model(self, database: str) -> ReaderModel:
        """The model that has not seen a database, where there are such."""
        if self._folder is None:
            return learnt()
        fold = fold_of(database, FOLDS)
        if fold not in self._models:
            self._models[fold] = read_model(self._folder / f"fold-{fold}.json")
        return self._models[fold]

    async def ask(self, question: str, database: Opened, after: Sequence[str] = ()) -> Answered:
        """What it would say of the question by itself; what came `after` is not looked at."""
        probe = LocalProbe(database.run.workspace)
        read = await understand(
            question, database.catalogue, database.lookup, today=database.today, evidence=probe,
            assume=True, model=self.model(database.name),
        )  # fmt: skip
        began = time.perf_counter()
        if isinstance(read, Clarification):
            return Answered("asked", said=read.question)
        if isinstance(read, NotUnderstood):
            return Answered("refused", said=read.message)
        done = carried_out(read, database)
        return Answered(
            "answered", rows=done.rows, chart=drawn(read.intent), confidence=read.confidence,
            word=word_of(read.confidence), doubts=read.assumptions, candidates=(done.rows,),
            sql=done.sql, said=done.failed or read.summary,
            executing_seconds=time.perf_counter() - began,
        )  # fmt: skip


def reader() -> NewReader:
    """With the models of the folder that ASSAY_READER_FOLDS names, or the one that is shipped."""
    folder = os.environ.get("ASSAY_READER_FOLDS")
    return NewReader(Path(folder) if folder else None)
