"""Commands run as a reader of a page would run them: one after another, in one folder and home."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.busy import allowing
from tests.commands import folder_of_assay
from tests.documented.shapes import ID, Ids
from tests.serving import mesh_up

SECONDS = 120
TRIES = 3
OUT_OF_TIME = re.compile(r"^error +TIMEOUT", re.M)


@dataclass
class Page:
    """The folder of one page, with a mesh that serves its home while its commands run."""

    folder: Path
    ids: Ids = field(default_factory=Ids)

    @property
    def environment(self) -> dict[str, str]:
        """Assay first on the path, a terminal of one width, and nothing of the person's own."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ASSAY_", "OTEL_"))}
        path = os.pathsep.join((folder_of_assay(), str(Path(sys.executable).parent), kept["PATH"]))
        home = {"ASSAY_HOME": str(self.folder / "home"), "HOME": str(self.folder)}
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        shown = {"COLUMNS": "108", "NO_COLOR": "1", "XDG_CACHE_HOME": cache}
        # A question must be read alike on a machine that is busy with other tests.
        patience = {
            "ASSAY_PLANNER_PROBE_SECONDS": "10",
            "ASSAY_PLANNER_RECALL_SECONDS": "30",
            "ASSAY_PLANNER_SUGGEST_SECONDS": "30",
        }
        return {**kept, "PATH": path, **home, **shown, **patience}

    def run(self, text: str, typed: tuple[str, ...] = ()) -> tuple[int, str]:
        """Exit code and all that was printed; again where a busy machine left it no time."""
        for _ in range(TRIES):
            code, printed = self._run(text, typed)
            if code == 0 or not OUT_OF_TIME.search(printed):
                break
        return code, printed

    def _run(self, text: str, typed: tuple[str, ...]) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", self.ids.put_into(text)],
            cwd=self.folder,
            env=self.environment,
            input="".join(f"{line}\n" for line in typed),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=allowing(SECONDS),
            check=False,
        )
        return done.returncode, done.stdout

    def makes(self, told: str, command: str) -> None:
        """Have `command` make the job that the page calls `told`, without showing how."""
        code, printed = self.run(command)
        jobs = re.findall(rf"assay verify ({ID})", printed)
        assert code == 0 and jobs, f"{command}\n{printed}"
        self.ids.known[told] = jobs[-1]


@contextmanager
def served(page: Page) -> Iterator[Page]:
    """The page with its mesh running, which every command of it then uses."""
    with mesh_up(page.folder / "home", page.environment, page.folder):
        yield page
