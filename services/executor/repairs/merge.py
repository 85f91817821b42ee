"""Values of a column that are one thing in several spellings: USA, U.S.A. and usa."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, refused, text_column_of
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import quoted


def alike(sql: str) -> str:
    """SQL: a text without what spellings of one thing differ by: case, accents, spaces, full stops,
    commas, quotes, and hyphens between letters.

    Of a text with digits in it, which may be a code or a size, only case, accents and the number of
    spaces are passed over; A and A-, C and C++ stay apart.
    """
    plain = f"strip_accents(lower(replace(trim({sql}), 'ß', 'ss')))"
    words = rf"regexp_replace({plain}, '[\s.,_''’‘`´\"“”„]+', '', 'g')"
    joined = rf"regexp_replace({words}, '(\pL)[-‐‑–](\pL)', '\1\2', 'g')"
    spaced = rf"regexp_replace({plain}, '\s+', ' ', 'g')"
    return f"CASE WHEN regexp_matches({plain}, '[0-9]') THEN {spaced} ELSE {joined} END"


def _mend(repair: Repair, table: StoredTable) -> Mended:
    column = text_column_of(repair, table)
    if repair.value not in ("", "commonest"):
        raise refused(repair, "it takes commonest")
    name = quoted(column.name)
    counted = (
        f"SELECT {name} AS v, {alike(name)} AS k, count(*) AS n FROM {quoted(table.name)} "
        f"WHERE trim({name}) <> '' GROUP BY 1"
    )
    common = f"SELECT k, first(trim(v) ORDER BY n DESC, v) AS v FROM ({counted}) GROUP BY k"
    spelled = f"(SELECT map(list(k ORDER BY k), list(v ORDER BY k)) FROM ({common}))"
    return Mended(
        f"column {column.name} has other spellings of a value in {{}}, read as its commonest",
        {column.name: f"coalesce({spelled}[{alike(name)}], {name})"},
    )


MERGE = Kind(
    "merge",
    "Values of a column that differ in case, accents, spaces and punctuation alone are one, told "
    "as most rows have it.",
    "`commonest`",
    "merge.country=commonest",
    of_column=True,
    mend=_mend,
)
