"""Recorded exchanges with a model: each request's words as a digest, and what came back.

A cassette holds a line for each request. It is replayed strictly: a request whose words are others
than those that were answered has no answer any more. Prompts are not kept, for they hold data; what
is waiting for an answer lies in a queue of files, a prompt beside the answer that belongs to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROMPT, ANSWER = ".prompt.txt", ".answer.json"


class ChangedPromptError(Exception):
    """A request is not the one that was answered."""


@dataclass(frozen=True)
class Call:
    """What a model called: the tool's name and its arguments."""

    name: str
    arguments: Mapping[str, Any]


@dataclass
class Cassette:
    """Answers by the question and the number of the request about it, from 1.

    `instructions` is the digest of what every request says alike, kept once: it changes with the
    list of checks, and then one look tells whether all answers still stand.
    """

    instructions: str = ""
    answers: dict[str, tuple[str, Call]] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Cassette:
        """A cassette as it was kept; an empty one where there is none."""
        if not path.exists():
            return cls()
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        kept = [json.loads(line) for line in lines]
        answers = {
            one["request"]: (one["prompt"], Call(one["call"], one["arguments"])) for one in kept
        }
        return cls(json.loads(head)["instructions"], answers)

    def write(self, path: Path) -> None:
        """Keep it, in the order of the requests."""
        lines: list[dict[str, Any]] = [{"instructions": self.instructions}]
        lines += [
            {"request": name, "prompt": digest, "call": call.name, "arguments": call.arguments}
            for name, (digest, call) in sorted(self.answers.items())
        ]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        path.write_text(text, encoding="utf-8")

    def answer(self, name: str, prompt: str) -> Call | None:
        """What was answered to that request; None where nothing was. Raises ChangedPromptError."""
        if name not in self.answers:
            return None
        digest, call = self.answers[name]
        if digest != digest_of(prompt):
            self.changed.append(name)
            raise ChangedPromptError(f"the prompt of {name} is not the one that was answered")
        return call


class Queue:
    """Prompts that wait for somebody who plays the model, and what they answered."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.waiting: list[str] = []

    def answer(self, name: str, instructions: str, prompt: str) -> Call | None:
        """The answer that lies there; without one the prompt is put there to be answered."""
        kept = self._folder / f"{_file(name)}{ANSWER}"
        if kept.exists():
            given = json.loads(kept.read_text(encoding="utf-8"))
            return Call(given["call"], given["arguments"])
        (self._folder / "INSTRUCTIONS.txt").write_text(instructions, encoding="utf-8")
        (self._folder / f"{_file(name)}{PROMPT}").write_text(prompt, encoding="utf-8")
        self.waiting.append(name)
        return None


def digest_of(text: str) -> str:
    """Half of the SHA-256 of a text, which is plenty to tell two prompts apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def parse_request(request: Mapping[str, Any]) -> tuple[str, str]:
    """What a request in OpenAI's language says: the instructions with the forms, and the rest."""
    head = [str(m["content"]) for m in request["messages"] if m["role"] == "system"]
    forms = json.dumps(request.get("tools", []), indent=1, ensure_ascii=False)
    rest = [_describe_message(m) for m in request["messages"] if m["role"] != "system"]
    return "\n\n".join([*head, f"Tools that may be called:\n{forms}"]), "\n\n".join(rest)


def _describe_message(message: Mapping[str, Any]) -> str:
    calls = [
        f"{one['function']['name']} {one['function']['arguments']}"
        for one in message.get("tool_calls") or ()
    ]
    text = message.get("content") or ""
    if not isinstance(text, str):
        text = "\n".join(str(part.get("text", "")) for part in text)
    return "\n".join([f"[{message['role']}]", *([text] if text else []), *calls])


def _file(name: str) -> str:
    return name.replace("/", "_")
