"""`assay causal`: what effect one column has on another, and whether the data can tell."""

from __future__ import annotations

from typing import Annotated

import typer

from clients.python.cli.options import (
    AllowColumn,
    AsJson,
    BlockPattern,
    Data,
    Database,
    Engine,
    Home,
    Model,
    On,
    Raw,
    Read,
    Server,
    Session,
    User,
    ways_to_read,
)


def causal(
    data: Data = None,
    db: Database = None,
    on: On = None,
    origin: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="JOB",
            help="An investigation whose finding is asked about, in place of data.",
        ),
    ] = "",
    explanation: Annotated[
        int,
        typer.Option(
            "--explanation",
            metavar="N",
            help="Which of its explanations; the first with a segment if not given.",
            min=0,
        ),
    ] = 0,
    finding: Annotated[
        str, typer.Option("--finding", metavar="ID", help="Or which of its findings: find_003.")
    ] = "",
    treatment: Annotated[
        str,
        typer.Option(
            "--treatment", metavar="COLUMN", help="What is changed; the likeliest if not given."
        ),
    ] = "",
    outcome: Annotated[
        str, typer.Option("--outcome", metavar="COLUMN", help="What it may move; likewise.")
    ] = "",
    treated: Annotated[
        str,
        typer.Option(
            "--treated",
            metavar="VALUE",
            help="Of a treatment with several values: which is judged.",
        ),
    ] = "",
    reference: Annotated[
        str,
        typer.Option(
            "--reference", metavar="VALUE", help="And which value all others are held against."
        ),
    ] = "",
    pair: Annotated[
        list[str] | None,
        typer.Option(
            "--pair",
            metavar="PAIR",
            help='Estimate "treatment -> outcome" beside, and do not judge it; repeatable.',
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", metavar="COLUMN", help="Tell the effect by its groups too; repeatable."
        ),
    ] = None,
    knowledge: Annotated[
        str,
        typer.Option(
            "--knowledge", metavar="FILE", help="YAML: tiers, edges, instruments, units over time."
        ),
    ] = "",
    metadata: Annotated[
        str,
        typer.Option("--metadata", metavar="FILE", help="dataset-metadata.json of the dataset."),
    ] = "",
    table: Annotated[
        str, typer.Option("--table", metavar="NAME", help="Which table, if several could be meant.")
    ] = "",
    iterations: Annotated[
        int | None,
        typer.Option("--iterations", metavar="N", help="Rounds of critique; 3 if not given."),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option("--rows", metavar="N", help="Most rows looked at; 100,000 if not given."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="What all randomness is seeded with.")
    ] = 0,
    model: Model = None,
    read: Read = None,
    raw: Raw = False,
    timeout: Annotated[
        int | None,
        typer.Option("--timeout", metavar="S", help="Most seconds, 1 to 3,600; 900 if not given."),
    ] = None,
    engine: Engine = "",
    allow_column: AllowColumn = None,
    block_pattern: BlockPattern = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show what would be done first, and do not do it.")
    ] = False,
    session: Session = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Estimate what one column does to another, and say where the data cannot tell.

    \b
    Example: assay causal --data visits.csv --treatment promo --outcome spend
    Example: assay causal --from 1a2b3c4d --explanation 1
    """
    from clients.python.cli.connection import Place

    place = Place(home, server, user).begin("executor", "planner")
    from clients.python.cli.began import show_reading

    if not as_json:
        show_reading((*(data or ()), *(on or ()), *([session] if session else ())), db or ())
    from clients.python.cli.asking import ask_question
    from clients.python.cli.running import execute
    from clients.python.question import Question
    from clients.python.study import Study

    asked = Question(
        data=tuple(data or ()),
        databases=tuple(db or ()),
        on=tuple(on or ()),
        session=session,
        timeout_seconds=timeout,
        engine=engine,
        allowed_columns=tuple(allow_column or ()),
        blocked_patterns=tuple(block_pattern or ()),
        read=ways_to_read(read, raw=raw),
        models=tuple(model or ()),
        study=Study(
            treatment=treatment,
            outcome=outcome,
            table=table,
            knowledge=knowledge,
            metadata=metadata,
            max_iterations=iterations,
            rows=rows,
            seed=seed,
            origin=origin,
            explanation=explanation,
            finding=finding,
            by=tuple(by or ()),
            treated=treated,
            reference=reference,
            pairs=tuple(pair or ()),
        ),
    )
    return execute(
        lambda screen: ask_question(screen, place, asked, plan_only=plan, command="causal"),
        as_json=as_json,
    )
