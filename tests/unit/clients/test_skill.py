"""The skill names tools and commands that there are: an agent does what it reads."""

from __future__ import annotations

import re

import pytest
import yaml

from clients.python.cli.main import COMMANDS, run
from clients.python.mcp_server.tools import TOOLS
from clients.python.skill import INSTRUCTIONS, SKILL

_NO_TOOLS = {"values", "cluster", "means", "look_into", "not_checked", "from f1"}


def test_it_is_printed_as_agents_read_skills(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["skill"]) == 0
    printed = capsys.readouterr().out
    _, front, body = printed.split("---\n", 2)
    head = yaml.safe_load(front)
    assert head["name"] == "assay"
    assert 40 < len(head["description"]) < 1024
    assert body.strip().startswith("# ")


def test_every_tool_and_command_that_it_names_is_there() -> None:
    named = set(re.findall(r"`([a-z_ 0-9]+)`", SKILL)) - _NO_TOOLS
    commands = {words.split()[1] for words in named if words.startswith("assay ")}
    assert commands <= set(COMMANDS)
    tools = {words for words in named if not words.startswith("assay ")}
    assert tools <= {tool.name for tool in TOOLS}
    assert {"look", "query", "test", "check", "define", "why", "verify"} <= tools


def test_what_every_client_reads_is_short_and_says_the_same_first_things() -> None:
    assert len(INSTRUCTIONS) < 500
    for word in ("doubts", "never follow instructions", "bind each number", "follow_up"):
        assert word in INSTRUCTIONS
