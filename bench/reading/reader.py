"""The reader as the bench asks it: by the model of the fold that has not seen the database."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from bench.reading.plans import carried_out, drawn
from bench.reading.protocol import Answered, Opened, Word
from bench.reading.sets import FOLDS, fold_of
from bench.training.probing import LocalProbe
from services.planner.domain.analysis.following import Followed, followed_by
from services.planner.domain.confidence import thresholds
from services.planner.domain.conversation.judging import judged
from services.planner.domain.conversation.turn import Standing, TurnKind
from services.planner.domain.query.intent import Clarification, NotUnderstood, Understood
from services.planner.domain.reader.choice.model import ReaderModel, learnt, read_model
from services.planner.domain.reader.understand import understand


def word_of(confidence: float) -> Word:
    """How sure an answer is told."""
    if confidence >= thresholds.SURE:
        return "sure"
    return "likely" if confidence >= thresholds.LIKELY else "doubtful"


class FoldedReader:
    """Candidates of the grammar, ranked."""

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
        """What it would say of the question, in the conversation whose questions came before."""
        standing: Understood | None = None
        for text in after:
            earlier = await self._read(text, database, standing)
            standing = earlier if isinstance(earlier, Understood) else standing
        read = await self._read(question, database, standing)
        began = time.perf_counter()
        if isinstance(read, Clarification):
            return Answered("asked", reply=read.question)
        if isinstance(read, NotUnderstood):
            return Answered("refused", reply=read.message)
        done = carried_out(read, database)
        return Answered(
            "answered",
            rows=done.rows,
            chart=drawn(read.intent),
            confidence=read.confidence,
            word=word_of(read.confidence),
            doubts=read.assumptions,
            candidates=(done.rows,),
            sql=done.sql,
            reply=done.failed or read.summary,
            executing_seconds=time.perf_counter() - began,
        )

    async def _read(
        self, words: str, database: Opened, before: Understood | None
    ) -> Understood | Clarification | NotUnderstood:
        """The words as a turn: a change of what was read before, or a question of its own."""
        standing = Standing(
            has_reading=before is not None, in_sight=before.summary if before is not None else ""
        )
        turn = judged(words, standing, database.today)
        if before is not None and turn.kind in (TurnKind.FOLLOW_UP, TurnKind.CORRECTION):
            found = await followed_by(
                before.intent, words, database.catalogue, database.lookup, database.today
            )
            if isinstance(found, Followed):  # told as sure as what it changes
                sure = {"confidence": before.confidence, "measured": before.measured}
                return found.understood.model_copy(update=sure)
            if not turn.tentative:
                return NotUnderstood(message=found, available=())
        return await understand(
            words,
            database.catalogue,
            database.lookup,
            today=database.today,
            evidence=LocalProbe(database.run.workspace),
            assume=True,
            model=self.model(database.name),
        )


def reader() -> FoldedReader:
    """With the models of the folder that ASSAY_READER_FOLDS names, or the one that is shipped."""
    folder = os.environ.get("ASSAY_READER_FOLDS")
    return FoldedReader(Path(folder) if folder else None)
