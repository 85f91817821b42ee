"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
JobId = Annotated[
    str, typer.Argument(metavar="JOB", help="A job's id, or its first four or more characters.")
]
LogKey = Annotated[
    str | None,
    typer.Option(
        "--log-key",
        metavar="KEY",
        help="The log's key from a place you trust, or a file with it; else the one that is shown.",
    ),
]
