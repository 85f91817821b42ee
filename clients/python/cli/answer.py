"""`assay answer`: settle what a job waits for, now or long after it was asked."""

from __future__ import annotations

from typing import Annotated

import typer

from clients.python.cli.options import AsJson, Home, JobId, Server, User


def answer(
    job: JobId,
    choice: Annotated[
        str,
        typer.Argument(
            metavar="[CHOICE]",
            help="The number of a reading, or words; else asked for.",
        ),
    ] = "",
    sql: Annotated[bool, typer.Option("--sql", help="Show the queries that ran, in full.")] = False,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Answer the question that a job came back with, or correct an answer in words.

    A job that waits goes on: with a reading's number, its words, or your own. One that was answered
    is asked anew as you correct it: assay answer 7c1e "no, by ship country".

    `assay jobs` lists the jobs that wait, `assay show JOB` what is unclear to one.
    """
    from clients.python.cli.asking import answer_job
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: answer_job(screen, place, job, choice, sql=sql), as_json=as_json)
