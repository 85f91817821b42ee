"""Values that tell meanings apart: a table `kinds` of the shop, and what is asked of it."""

from __future__ import annotations

from pathlib import Path

TABLE = (
    "CREATE TABLE kinds (id integer, i integer, d double precision, n numeric(10,2), t text,"
    " day date, moment timestamp, yes boolean)",
    "INSERT INTO kinds VALUES"
    " (1, 7, 2.5, 2.50, 'Abc abc', '2024-01-31', '2024-01-31 23:59:59.999999', true),"
    " (2, -7, -2.5, -2.50, '', '2024-02-29', '2024-02-29 00:00:00', NULL),"
    " (3, 0, 0.0, 0.00, 'a_b%c', '1999-12-31', '1999-12-31 12:30:45.5', false),"
    " (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL),"
    " (5, 3, -0.5, -0.50, 'Größe 10', '2021-03-28', '2021-03-28 02:30:00', true),"
    " (6, -1, 1.5, 1.05, 'foo-bar|baz', '2020-12-31', '2020-12-31 00:00:01', false),"
    " (7, 100, 0.1, 99.99, '  pad  ', '1969-07-20', '1969-07-20 20:17:40.25', true),"
    " (8, 2, 3.5, 3.45, 'line' || chr(10) || 'break', '2023-01-01', '2023-01-01 05:06:07', false),"
    " (9, 2, 2.675, 0.05, 'abc ABC', '2000-01-01', '2000-01-01 12:00:00', true),"
    " (10, 5, 4.75, 12.35, '12.5', '2024-10-27', '2024-10-27 01:30:00', false),"
    " (11, 4, -1.5, -3.45, '😀é', '2021-01-03', '2021-01-03 23:00:00.000001', NULL)",
)
_CASES = Path(__file__).parent / "cases"


def lines(name: str) -> list[str]:
    """The cases of a file."""
    text = (_CASES / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def of_rows(expression: str) -> str:
    """A statement that asks it of every row."""
    return f"SELECT id, {expression} AS value FROM kinds ORDER BY id"


def of_groups(expression: str) -> str:
    """A statement that asks it of all rows and of groups of them."""
    return (
        f"SELECT 0 AS part, {expression} AS value FROM kinds UNION ALL"
        f" SELECT CASE WHEN yes THEN 1 WHEN NOT yes THEN 2 ELSE 3 END, {expression} FROM kinds"
        " GROUP BY yes ORDER BY 1"
    )


CASES = (
    *map(of_rows, lines("values")),
    *map(of_groups, lines("aggregates")),
    *lines("statements"),
)
REFUSED = tuple(tuple(line.rsplit(" | ", 1)) for line in lines("refused"))
