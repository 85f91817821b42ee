"""Perform the script in Python: `python -m clients.conformance.runner SCRIPT SETTINGS`.

One line of JSON for each step, with what it gave. Whether that is right is judged by whoever
started it (`judging`).
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack, nullcontext
from pathlib import Path
from typing import Any

from clients.conformance.verbs import VERBS
from clients.python.calls import within
from clients.python.client import AssayClient
from mesh.errors import AssayError
from mesh.transport.status import STATUS

Object = dict[str, Any]
RETRYABLE = ("UNAVAILABLE",)


class Runner:
    """What steps share."""

    def __init__(self, settings: Object, stack: AsyncExitStack) -> None:
        self._settings = settings
        self._stack = stack
        self._clients: dict[tuple[str, str], AssayClient] = {}
        self.saved: Object = {}

    async def perform(self, step: Object) -> Any:
        """Make one step; a refusal is a result like another."""
        result: Any
        try:
            given = self._filled(step.get("with", {}))
            if step["call"] == "outside":
                result = await outside(given)
            else:
                client = await self._client(step.get("as", "analyst"), step.get("via", "direct"))
                limit = within(step["deadline"]) if "deadline" in step else nullcontext()
                with limit:
                    folder = Path(self._settings["fixtures"])
                    result = await VERBS[step["call"]](client, given, folder)
        except AssayError as error:
            result = {"error": refusal(error)}
        except LookupError as error:
            result = {"broken": f"no step gave {error}"}
        if "save" in step:
            self.saved[step["save"]] = result
        return result

    async def _client(self, caller: str, way: str) -> AssayClient:
        """The client of a caller and a way; it is kept, as programs do."""
        if (caller, way) not in self._clients:
            client = AssayClient(
                self._settings["targets"][way],
                token=self._settings["tokens"][caller] or None,
                authority=Path(self._settings["authority"]),
            )
            self._clients[caller, way] = await self._stack.enter_async_context(client)
        return self._clients[caller, way]

    def _filled(self, value: Any) -> Any:
        """What earlier steps gave in place of "$name.path"."""
        if isinstance(value, str) and value.startswith("$"):
            found: Any = self.saved
            for part in value[1:].split("."):
                found = found[int(part)] if isinstance(found, list) else found[part]
            return found
        if isinstance(value, dict):
            return {name: self._filled(one) for name, one in value.items()}
        return [self._filled(one) for one in value] if isinstance(value, list) else value


def refusal(error: AssayError) -> Object:
    """An error as the script has it."""
    status = (
        "DEADLINE_EXCEEDED" if error.reason.code == "TIMEOUT" else STATUS[error.reason.kind].name
    )
    return {
        "reason": error.reason.code,
        "status": status,
        "retryable": status in RETRYABLE or error.retry_seconds is not None,
        "message": error.message,
        "remedy": error.remedy,
        "fields": dict(error.fields),
    }


async def outside(given: Object) -> Any:
    """Have whoever started this do something to the mesh; what came of it."""
    print(json.dumps({"outside": given}), flush=True)
    return json.loads(await asyncio.to_thread(sys.stdin.readline))


async def main(script: str, settings: str) -> None:
    """Perform every case."""
    wanted, known = (json.loads(Path(path).read_text("utf-8")) for path in (script, settings))
    async with AsyncExitStack() as stack:
        runner = Runner(known, stack)
        for case in wanted["cases"]:
            runner.saved = {}
            for number, step in enumerate(case["steps"]):
                line = {"case": case["name"], "step": number, "result": await runner.perform(step)}
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
