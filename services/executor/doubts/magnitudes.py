"""Numbers with a letter for thousands, millions or billions: 350K, 1.5M."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenColumn, SeenTable
from services.executor.facts.asking import Ask
from services.executor.sources.sql import literal, quoted

_NUMBER = r"-?[$€£]?\d+(?:\.\d+)? ?[kKmMbB]?"
_LETTER = r".*[kKmMbB]"
_ONE = re.compile(_NUMBER)
_FEWEST, _SORTS = 2, 2


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    for column in table.columns:
        if column.data_type is not DataType.STRING or not _may_be(column):
            continue
        name = quoted(column.name)
        every, fitting, lettered, letters, decimals = ask(
            f"SELECT count({name}), "
            f"count(*) FILTER (regexp_full_match(trim({name}), {literal(_NUMBER)})), "
            f"count(*) FILTER (regexp_full_match(trim({name}), {literal(_LETTER)})), "
            f"count(DISTINCT upper(right(trim({name}), 1))) "
            f"FILTER (regexp_full_match(trim({name}), {literal(_LETTER)})), "
            f"count(*) FILTER (contains({name}, '.')) "
            f"FROM {quoted(table.name)}",
            1,
        )[0]
        if fitting != every or lettered < _FEWEST:
            continue
        yield Doubt(
            code="magnitudes",
            table=table.name,
            column=column.name,
            rows=int(lettered),
            share=int(lettered) / table.rows,
            examples=column.samples[:3],
            said=f"{column.name} holds numbers with letters for thousands and more, such as "
            f"{column.samples[0]}",
            changes="sums and means, and which is the highest",
            repairs=(Repair(kind="magnitudes", column=column.name),),
            uses=(Use.COMPUTED,),
            weight=0.2,
            certain=int(letters) >= _SORTS and bool(decimals),
        )


def _may_be(column: SeenColumn) -> bool:
    samples = [sample.strip() for sample in column.samples if sample.strip()]
    lettered = any(sample[-1:].isalpha() for sample in samples)
    return lettered and all(_ONE.fullmatch(sample) for sample in samples)


MAGNITUDES = Kind(
    "magnitudes",
    "numbers with letters for thousands",
    "Sites write 350K and 1.5M for 350,000 and 1,500,000. Where letters of two sorts stand behind "
    "the numbers of a column, some with decimals, they are such; one alone may be a unit (5m), and "
    "is for people to say.",
    _find,
)
