"""`assay skill`: how an agent works through Assay, to be saved where agents look for skills."""

from __future__ import annotations

import typer


def skill() -> int:
    """Print how an agent works through Assay, as a skill: Markdown with a name and a description.

    Save it where your agent looks for skills, or put it among its instructions. The MCP server
    tells clients its short form by itself.

    \b
    Example: mkdir -p skills/assay && assay skill > skills/assay/SKILL.md
    """
    from clients.python.skill import SKILL

    typer.echo(SKILL, nl=False)
    return 0
