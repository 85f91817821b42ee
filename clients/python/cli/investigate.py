"""`assay investigate`: why a metric moved between two periods."""

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
    Timeout,
    User,
    ways_to_read,
)


def investigate(
    data: Data = None,
    db: Database = None,
    on: On = None,
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            help="SQL such as 'sum(amount)', a column, words, or a metric of the model; of leaves "
            "with several measures one of them, or 'success / total'.",
        ),
    ] = "",
    baseline: Annotated[
        str,
        typer.Option(
            "--baseline", metavar="PERIOD", help="To compare with: 2024-01-01..2024-01-31, 2024-01."
        ),
    ] = "",
    compare: Annotated[
        str, typer.Option("--compare", metavar="PERIOD", help="The period to be explained.")
    ] = "",
    context: Annotated[
        str, typer.Option("--context", metavar="WORDS", help="What is known about the metric.")
    ] = "",
    focus: Annotated[
        str, typer.Option("--focus", metavar="WORDS", help="What is suspected: looked at first.")
    ] = "",
    time: Annotated[
        str,
        typer.Option("--time", metavar="COLUMN", help="Which column tells when, if several do."),
    ] = "",
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", metavar="COLUMN", help="A column to split by; all that suit when not given."
        ),
    ] = None,
    leaf: Annotated[
        str,
        typer.Option(
            "--leaf",
            metavar="FILE",
            help="Leaves in place of --data and periods: dimensions, what came, what was forecast.",
        ),
    ] = "",
    real: Annotated[
        str,
        typer.Option(
            "--real",
            metavar="COLUMN",
            help="Of leaves: what came; by its name when not given. A ratio: 'success / total'.",
        ),
    ] = "",
    predicted: Annotated[
        str, typer.Option("--predicted", metavar="COLUMN", help="Of leaves: what was forecast.")
    ] = "",
    model: Model = None,
    read: Read = None,
    raw: Raw = False,
    timeout: Timeout = None,
    engine: Engine = "",
    allow_column: AllowColumn = None,
    block_pattern: BlockPattern = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show what would be looked at first, and do not do it.")
    ] = False,
    session: Session = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Find what explains the movement of a metric, or say that nothing does.

    \b
    Example: assay investigate --data orders.csv --metric "sum(amount)"
             --baseline 2024-01 --compare 2024-02
    Example: assay investigate --leaf leaves.csv --real real --predicted predict
    """
    from clients.python.cli.connection import Place

    place = Place(home, server, user).begin("executor", "planner")
    from clients.python.cli.began import show_reading

    if leaf:
        data = [*(data or ()), leaf]
    if not as_json:
        show_reading((*(data or ()), *(on or ()), *([session] if session else ())), db or ())
    from clients.python.cli.asking import ask_question
    from clients.python.cli.running import execute
    from clients.python.movement import Movement
    from clients.python.question import Question

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
        movement=Movement(
            metric=metric,
            baseline=baseline,
            comparison=compare,
            context=context,
            focus=focus,
            time=time,
            by=tuple(by or ()),
            leaf=bool(leaf),
            real=real,
            predicted=predicted,
        ),
    )
    return execute(
        lambda screen: ask_question(screen, place, asked, plan_only=plan, command="investigate"),
        as_json=as_json,
    )
