"""Commands in the documentation are run as they stand there, and print what they are said to print.

What cannot be run here is named with its reason in `elsewhere.toml`; of that, what can be seen
without running it is looked at: that there is such a command, option, target or module.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from clients.python.cli.main import command_line
from tests.documented.blocks import ROOT, Command, commands, inline, pages, untold
from tests.documented.files import SHARED, lay_out, named, shared
from tests.documented.running import Page, served
from tests.documented.shapes import difference

LISTED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "elsewhere.toml").read_text())
PAGES = {page: commands(page) for page in pages()}
PRINTED: dict[str, tuple[int, str]] = {}  # what commands printed that are run once
EVERY = [command for page in PAGES.values() for command in page]


def reason(command: Command) -> str | None:
    """Why a command is not run here, or None."""
    for entry in LISTED["not_run"]:
        if any(re.fullmatch(pattern, command.text, re.S) for pattern in entry["commands"]):
            return str(entry["why"])
    return None


def listed(command: Command, kind: str) -> bool:
    """Whether `elsewhere.toml` names a command among those of a kind."""
    patterns = [pattern for entry in LISTED[kind] for pattern in entry["commands"]]
    return any(re.fullmatch(pattern, command.text, re.S) for pattern in patterns)


SHELL = {"--help", "--install-completion", "--show-completion"}
RUN = [page for page, of in PAGES.items() if any(reason(command) is None for command in of)]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that pages speak of, made once."""
    folder = tmp_path_factory.mktemp("files")
    lay_out(folder)
    return folder


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("page", RUN)
def test_commands_of_a_page_do_what_it_says(page: str, files: Path, tmp_path: Path) -> None:
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    wrong, absent = [], []
    with served(Page(tmp_path)) as reader:
        for told, command in LISTED.get("jobs", {}).get(page, {}).items():
            reader.makes(told, command)
        for command in PAGES[page]:
            if reason(command) is not None:
                continue
            if lacking := shared(tmp_path, command.text):
                absent += lacking
                continue
            if complaint := complaint_of(reader, command):
                wrong.append(complaint)
    assert not wrong, "\n\n".join(wrong)
    if absent:
        pytest.skip(f"all but commands on {', '.join(sorted(set(absent)))}: no shared data here")


def complaint_of(reader: Page, command: Command) -> str | None:
    """What a command did otherwise than its page says, or None."""
    text = command.text
    if listed(command, "planned"):
        text = re.sub(r"\s+#.*|$", " --plan", text, count=1)
    if text in PRINTED:
        code, printed = PRINTED[text]
    else:
        code, printed = reader.run(text, command.typed)
    if listed(command, "once"):
        PRINTED[text] = code, printed
    told = "" if command.is_talk else command.shown or ""  # a conversation goes on behind it
    refused = bool(re.search(r"^(error|unclear) ", told, re.M))
    if (code != 0) != refused:
        return f"{command.place}: exit code {code}\n$ {text}\n{printed}"
    if command.shown is None:
        return None
    lacks = difference(command.shown, printed, reader.ids, in_part=command.is_talk)
    if lacks is None:
        return None
    return f"{command.place}: not printed: {lacks}\n$ {text}\n{printed}"


MADE = re.compile(r"(?:--to|--out|--json|--propose|>) ?=?([\w./-]+)")


@pytest.mark.parametrize("page", PAGES)
def test_a_command_names_files_that_its_reader_has(page: str, files: Path) -> None:
    """Those that `python -m examples.pages` writes or the repository holds, those that a command
    before it made, and what in capitals is yours to fill in."""
    absent, made = [], set[str]()
    for command in PAGES[page]:
        for name in named(command.text):
            known = any(files.glob(name)) or (ROOT / name).exists() or name in SHARED
            if not (known or name in made or name in MADE.findall(command.text)):
                absent.append(f"{command.place}: {name}")
        made |= set(MADE.findall(command.text))
    assert absent == []


def test_blocks_that_hold_commands_say_so() -> None:
    assert [place for page in PAGES for place in untold(page)] == []


@pytest.mark.parametrize(
    "entry",
    [entry for kind in ("not_run", "planned", "once") for entry in LISTED[kind]],
    ids=lambda entry: entry["why"],
)
def test_what_is_not_run_is_there(entry: dict[str, Any]) -> None:
    stale = [
        pattern
        for pattern in entry["commands"]
        if not any(re.fullmatch(pattern, command.text, re.S) for command in EVERY)
    ]

    assert stale == []


def test_commands_that_are_named_exist() -> None:
    named = {(page, code) for page in PAGES for code in inline(page)}
    named |= {(command.place, command.text) for command in EVERY}

    assert (
        sorted(f"{place}: {text}: {why}" for place, text in named if (why := unknown(text))) == []
    )


def unknown(text: str) -> str:
    """What a command names that does not exist; nothing if all does."""
    bare = re.sub(r"\s#.*|\\\n|[;|&].*", " ", text)
    try:
        words = shlex.split(bare)
    except ValueError:  # quotes that are a sentence's, or dots that stand for the rest
        words = bare.split()
    while words and "=" in words[0]:
        words.pop(0)
    if words[:1] == ["make"]:
        return next((f"no target {word}" for word in words[1:2] if word not in targets()), "")
    if words[:2] in (["python", "-m"], [".venv/bin/python", "-m"]):
        there = "…" in words[2] or importlib.util.find_spec(words[2])
        return "" if there else f"no module {words[2]}"
    return unknown_to_assay(words[1:]) if words[:1] == ["assay"] else ""


def unknown_to_assay(words: list[str]) -> str:
    """The command or option among `words` that `assay` does not have."""
    command: Any = whole()
    options = {name for parameter in command.params for name in parameter.opts}
    for word in words:
        if hasattr(command, "commands") and not word.startswith("-"):
            alternatives = word.split("|")
            if alternatives[0] not in command.commands:
                if not re.fullmatch(r"[a-z]+", word):
                    return ""  # what stands for a command: COMMAND, …
                return f"no command {word}"
            command = command.commands[alternatives[0]]
            options |= {name for parameter in command.params for name in parameter.opts}
        elif re.match(r"--[a-z]", word):
            name = re.split(r"[=\[\].,]", word)[0]
            if name not in options | SHELL and command is not whole():
                return f"no option {name}"
    return ""


@cache
def whole() -> Any:
    """The `assay` command with all below it."""
    return typer.main.get_command(command_line())


@cache
def targets() -> set[str]:
    """What the Makefile makes."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return {name for line in re.findall(r"^([a-z -]+):", text, re.M) for name in line.split()}
