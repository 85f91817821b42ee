"""Reasons to refuse an investigation (seed 002); to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

METRIC_SQL_REQUIRED = reason(
    "METRIC_SQL_REQUIRED",
    Kind.WRONG_USE,
    "An investigation names no metric.",
    "Say which: SQL such as sum(amount), words, or a metric of the semantic model.",
)
METRIC_NOT_UNDERSTOOD = reason(
    "METRIC_NOT_UNDERSTOOD",
    Kind.WRONG_USE,
    "The metric is no expression over the columns there are, or one that cannot be taken apart.",
    "Write sums, counts, averages or ratios of them over columns of the data: "
    "sum(amount) / count(*).",
)
INVALID_DATE_RANGE = reason(
    "INVALID_DATE_RANGE",
    Kind.WRONG_USE,
    "A period is missing, is no range of days, or ends before it begins.",
    "Write both as START..END, first and last day included: 2024-01-01..2024-01-31.",
)
NO_FILES_UPLOADED = reason(
    "NO_FILES_UPLOADED",
    Kind.WRONG_USE,
    "An investigation of a session was asked for before any file was uploaded.",
    "Upload at least one file, or name a source.",
)
NO_TIME_COLUMN = reason(
    "NO_TIME_COLUMN",
    Kind.WRONG_USE,
    "No column tells when the rows of the metric happened, or several do.",
    "Name it: --time COLUMN.",
)
NO_DIMENSIONS = reason(
    "NO_DIMENSIONS",
    Kind.WRONG_USE,
    "There is no column by which the metric can be split.",
    "Name one: --by COLUMN; ids, times and measures are not taken by themselves.",
)
NO_ROWS_IN_PERIOD = reason(
    "NO_ROWS_IN_PERIOD",
    Kind.WRONG_USE,
    "The data has no row of the metric in one of the periods.",
    "Choose periods that the data covers; the message says which it does.",
)
LEAF_COLUMNS_NOT_FOUND = reason(
    "LEAF_COLUMNS_NOT_FOUND",
    Kind.WRONG_USE,
    "Which columns of the leaves hold actual values and which the forecast cannot be told.",
    "Name them: --real COLUMN --predicted COLUMN.",
)
LEAF_VALUES_NOT_USABLE = reason(
    "LEAF_VALUES_NOT_USABLE",
    Kind.WRONG_USE,
    "The actual or the forecast values of leaves are no numbers, all missing, or all zero.",
    "Name other columns, or mend the file; the message says what is wrong with which.",
)
INVESTIGATION_NOT_COMPLETE = reason(
    "INVESTIGATION_NOT_COMPLETE",
    Kind.WRONG_USE,
    "A question was asked of an investigation that has no report yet.",
    "Wait until it has ended.",
)
