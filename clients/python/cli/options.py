"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clients.python.cli.completing import job_ids, source_names

Home = Annotated[
    Path | None,
    typer.Option(
        "--home", metavar="DIR", help="Where state lives; else ASSAY_HOME, else the platform's own."
    ),
]
Server = Annotated[
    str | None,
    typer.Option(
        "--server", metavar="HOST:PORT", help="Use this mesh instead of the one of the home folder."
    ),
]
User = Annotated[
    str | None, typer.Option("--user", metavar="NAME", help="Who asks; jobs belong to their user.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]
WhyThis = Annotated[
    bool,
    typer.Option(
        "--why-this", help="Show what each word became, who else answers so, and what was found."
    ),
]
JobId = Annotated[
    str,
    typer.Argument(
        metavar="JOB",
        help="A job's id, or its first four or more characters.",
        autocompletion=job_ids,
    ),
]
LogKey = Annotated[
    str | None,
    typer.Option(
        "--log-key",
        metavar="KEY",
        help="The log's key from a place you trust, or a file with it; else the one that is shown.",
    ),
]
Data = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="FILE",
        help='A data file, a folder of them, or a pattern such as "sales/*.csv". Repeatable.',
    ),
]
Database = Annotated[
    list[str] | None,
    typer.Option(
        "--db", metavar="URL", help="A database, such as sqlite:///shop.sqlite. Repeatable."
    ),
]
On = Annotated[
    list[str] | None,
    typer.Option(
        "--on",
        metavar="NAME",
        autocompletion=source_names,
        help="A source that `assay source add` named; not needed for the only one. Repeatable.",
    ),
]
Session = Annotated[
    str,
    typer.Option(
        "--session",
        metavar="ID",
        help="Work in this session: --data is uploaded into it, and without it its files are used.",
    ),
]
Read = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        metavar="[FILE:]NAME=VALUE",
        help="How to read files where their content should not decide: delimiter, quote, "
        "escape, comment, encoding, header, units-row, skip-lines, skip-footer, decimal, "
        "date-order, missing, type.COLUMN, pad-short-rows, sheet, one-table, raw; or a repair, "
        "such as nothing.CO=-200 (docs/repairs.md). Repeatable.",
    ),
]
Raw = Annotated[
    bool,
    typer.Option(
        "--raw",
        help="Read files without any repair: neither those that are certain nor those of the "
        "semantic model.",
    ),
]
Model = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="FILE",
        help="A semantic model (YAML): what names, units, sums and joins mean. Else the one beside "
        "the data, orders.assay.yaml of orders.csv. Repeatable.",
    ),
]
RowLimit = Annotated[
    int | None,
    typer.Option("--row-limit", metavar="N", help="Most rows of a query, 1 to 200,000."),
]
Timeout = Annotated[
    int | None, typer.Option("--timeout", metavar="S", help="Most seconds, 1 to 180.")
]
Engine = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="What runs queries: duckdb, postgres, mysql, spark, flightsql, clickhouse, snowflake "
        "or bigquery. Chosen if not given.",
    ),
]
AllowColumn = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-column",
        metavar="NAME",
        help="Only columns so named exist: column or table.column. Repeatable.",
    ),
]
Disclose = Annotated[
    str,
    typer.Option(
        "--disclose",
        metavar="LEVEL",
        help="Most that a language model may be told: names, values, shapes (of results) or "
        "results. The server may allow less.",
    ),
]
BlockPattern = Annotated[
    list[str] | None,
    typer.Option(
        "--block-pattern",
        metavar="P",
        help="Hide what matches: a regular expression, or email, phone, ssn, credit_card, "
        "iban, ip. Repeatable.",
    ),
]


def ways_to_read(read: list[str] | None, *, raw: bool) -> tuple[str, ...]:
    """How files are read, as `--read` and `--raw` say."""
    return (*(read or ()), *(("raw=yes",) if raw else ()))
