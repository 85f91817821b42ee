"""`assay recipes`: plans that worked, kept for later questions."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from assay.common.v1.catalogue_pb2 import Recipe
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen


def recipes(
    delete: Annotated[
        str, typer.Option("--delete", metavar="ID", help="Forget a recipe, by its id's beginning.")
    ] = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """List recipes, the plans that worked, or forget one."""
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    if delete:
        return execute(lambda screen: _forget(screen, place, delete), as_json=as_json)
    return execute(lambda screen: _list_recipes(screen, place), as_json=as_json)


async def _list_recipes(screen: Screen, place: Place) -> int:
    from rich.table import Table
    from rich.text import Text

    from clients.python.cli.connection import connected
    from clients.python.cli.words import moment, short_id
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        found = await client.list_recipes()
    if screen.as_json:
        screen.object({"recipes": [_object(recipe) for recipe in found]})
        return ExitCode.ANSWERED
    if not found:
        screen.show("no recipes yet: a question answered in full leaves one")
        return ExitCode.ANSWERED
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column("recipe", no_wrap=True)
    grid.add_column("worked", justify="right", no_wrap=True)
    grid.add_column("last used", no_wrap=True)
    grid.add_column("question")
    for recipe in found:
        template = Text(recipe.intent_template or recipe.exact_question)
        if recipe.exact_question:
            template.append("  this question only", "dim")
        if recipe.quarantined:
            why = f", last because {recipe.last_failure}" if recipe.last_failure else ""
            template.append(f"  not used any more: failed three times{why}", "yellow")
        grid.add_row(
            short_id(recipe.recipe_id),
            f"{recipe.success_count:,}×",
            moment(recipe.last_used_at.ToDatetime(UTC)),
            template,
        )
    screen.show(grid)
    return ExitCode.ANSWERED


async def _forget(screen: Screen, place: Place, beginning: str) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.words import short_id
    from mesh.errors import NOT_FOUND, AssayError, ExitCode

    async with connected(place, screen) as client:
        matching = [
            recipe
            for recipe in await client.list_recipes()
            if recipe.recipe_id.startswith(beginning.lower())
        ]
        if len(matching) != 1:
            number = f"{len(matching)} recipes begin" if matching else "no recipe begins"
            raise AssayError(
                NOT_FOUND,
                f"{number} with {beginning!r}",
                hint="`assay recipes` lists them with their ids.",
            )
        await client.delete_recipe(matching[0].recipe_id)
    if screen.as_json:
        screen.object({"deleted": matching[0].recipe_id})
    else:
        screen.show(f"forgot {short_id(matching[0].recipe_id)}")
    return ExitCode.ANSWERED


def _object(recipe: Recipe) -> dict[str, object]:
    return {
        "recipe": recipe.recipe_id,
        "question": recipe.intent_template or recipe.exact_question,
        "exact": bool(recipe.exact_question),
        "schema_fingerprint": recipe.schema_fingerprint,
        "success_count": recipe.success_count,
        "failure_count": recipe.failure_count,
        "quarantined": recipe.quarantined,
        "last_failure": recipe.last_failure or None,
        "created_at": recipe.created_at.ToJsonString(),
        "last_used_at": recipe.last_used_at.ToJsonString(),
    }
