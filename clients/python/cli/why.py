"""Why an answer is this one: what each word became, who proposed it, who agrees, what was found."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from assay.common.v1.job_pb2 import Job
from clients.python.cli.screen import Screen
from clients.python.proposed import proposal_object

_NARROW = 90
_AGREES = {
    "same": "gives the same rows",
    "subset": "gives the same rows, with other columns beside them",
    "scaled": "gives the same rows, in per cent or as parts of one",
    "differs": "gives {told}",
    "fails": "was set aside: {told}",
    "not_compared": "was not compared: {told}",
}


def show_why(screen: Screen, job: Job) -> None:
    """Print where the parts of an answer's statement come from; of one that takes several
    statements only that there are several."""
    if screen.as_json:
        return
    if not job.plan.HasField("proposal"):
        screen.row("why this", "the answer takes several statements: --sql shows them")
        return
    values = proposal_object(job.plan.proposal)
    screen.row("proposed by", proposed_by(values["proposer"]))
    if values["bindings"]:
        screen.row("words", _words(values["bindings"], narrow=screen.out.width < _NARROW))
    if values["grain"]:
        screen.row("a row is", values["grain"])
    if values["columns"]:
        screen.row("columns", "; ".join(map(_column, values["columns"])))
    for other in values["others"]:
        if other["proposer"] == values["proposer"] == "rules":
            screen.row("or", _other_reading(other))
            continue
        text = _AGREES[other["compared"]].format(told=other["told"] or "another result")
        colour = "green" if other["compared"] in ("same", "subset", "scaled") else "yellow"
        screen.row("beside it", Text(f"{proposed_by(other['proposer'])} {text}", colour))
    for found in values["findings"]:
        colour = "" if found["severity"] == "note" else "yellow"
        screen.row("finding", Text(f"{found['code']} {found['name']}: {found['said']}", colour))
    if not values["findings"]:
        screen.row("finding", Text("none", "dim"))


def _other_reading(other: dict[str, Any]) -> Text:
    """What else the words may mean, and what that gives where it was run."""
    gives = f": {other['glimpse']}" if other.get("glimpse") else ""
    return Text(f"{other['interpretation']}{gives}", "yellow")


def proposed_by(who: str) -> str:
    """Who made a proposal, for people."""
    kind, _, name = who.partition(":")
    if kind == "recipe":
        return f"a recipe ({name[:8]})" if name else "a recipe"
    known = {"rules": "the built-in rules", "person": "a person", "agent": "an agent"}
    return known.get(kind) or f"the model {name or kind}"


def _words(bindings: list[dict[str, Any]], *, narrow: bool) -> Table:
    """Words, what they became, and why; why is left out where the screen is narrow."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold", max_width=24)
    grid.add_column(overflow="fold")
    if not narrow:
        grid.add_column(overflow="fold", max_width=30, style="dim")
    for one in bindings:
        fragment = one["fragment"] or "changes nothing"
        because = one["because"] or one["kind"]
        cells = [Text(one["words"]), Text(fragment)]
        if not narrow:
            cells.append(Text(because))
        elif not one["fragment"]:
            cells[1] = Text(f"{fragment}: {because}")
        grid.add_row(*cells)
    return grid


def _column(column: dict[str, Any]) -> str:
    about = [column["role"], *([column["unit"]] if column["unit"] else [])]
    about += ["adds up"] if column["additive"] else []
    return f"{column['name']} ({', '.join(about)})"
