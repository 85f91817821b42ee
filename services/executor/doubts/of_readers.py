"""Kinds of doubts that readers of texts and workbooks tell of on their way to a table."""

from __future__ import annotations

from collections.abc import Iterator

from services.executor.domain.doubt import Doubt
from services.executor.doubts.seen import Kind, SeenTable
from services.executor.facts.asking import Ask


def _seen_while_reading(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    """Nothing that a finished table could be asked for."""
    yield from ()


OF_READERS = (
    Kind(
        "headings",
        "columns named in several lines",
        "Groups above the names, as merged cells write them, are joined with these: 2024 above Q1 "
        'gives "2024 Q1". A line of words below names that tell the columns apart is what is said '
        "of the columns, and no row.",
        _seen_while_reading,
    ),
    Kind(
        "headings-again",
        "headings in the middle",
        "Programs that print pages write the headings on each; they are no rows.",
        _seen_while_reading,
    ),
    Kind(
        "blank-rows",
        "lines of delimiters alone",
        "Spreadsheet programs write rows that were only formatted as lines of delimiters. They are "
        "no rows.",
        _seen_while_reading,
    ),
    Kind(
        "total-rows",
        "rows that add up others",
        "A row that is called Total, Subtotal North, Summe or Σ, and whose numbers are the sums of "
        "the rows beside it, says nothing that is not in them, and counts them twice. So do last "
        "rows called Mean, StdDev, Max or Median that are just that of the rows above.",
        _seen_while_reading,
    ),
    Kind(
        "rows-aside",
        "rows kept aside",
        "Rows with more or fewer cells than there are columns, or with a quote that does not "
        "close, and a last line of JSON that breaks off, are kept beside the table and counted. "
        "What is counted or summed lacks them.",
        _seen_while_reading,
    ),
    Kind(
        "one-form",
        "tables of the same columns",
        "A file or a sheet for each month, quarter or year is one table to whoever asks. Where the "
        "names are those of periods and the rows of one do not stand in others, they are read as "
        "one, with the file and the period as columns; else that is on offer: actual and budget "
        "have the same columns too.",
        _seen_while_reading,
    ),
    Kind(
        "merged",
        "merged cells",
        "A cell that is merged over several rows or columns holds its value once in the file; each "
        "row and column that it covers has it.",
        _seen_while_reading,
    ),
    Kind(
        "several-tables",
        "several tables on a sheet",
        "Tables beside one another, with an empty column between, or below, with an empty row and "
        "names of their own, are tables of their own.",
        _seen_while_reading,
    ),
)
