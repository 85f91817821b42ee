"""Which data tools may be asked about: what the server was started with, and kept sources.

A model does what it reads, and it reads cells, names and questions of others. So it picks data by
name out of what a person offered, and names no path or address of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from assay.common.v1.job_pb2 import Job
from clients.python.places import parted
from clients.python.question import Question
from mesh.errors import COLUMN_BLOCKED, SOURCE_NOT_FOUND, AssayError
from mesh.text.harmless import harmless

_MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Offered:
    """Files and folders, databases, and kept sources that may be named, and what of them is seen.

    `kept` are names of sources that the mesh keeps; none of them means all that the caller has.
    `allowed_columns` and `blocked_patterns` are the policy of whatever a model has done.
    """

    places: tuple[Path, ...] = ()
    databases: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    allowed_columns: tuple[str, ...] = ()
    blocked_patterns: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        data: Iterable[str],
        databases: Iterable[str],
        kept: Iterable[str],
        allowed_columns: Iterable[str] = (),
        blocked_patterns: Iterable[str] = (),
    ) -> Offered:
        """What a person offers, as for a question.

        Raises AssayError: SOURCE_NOT_FOUND for a path that is not there, and as `places.parted`.
        """
        files, further = parted(data)
        places = tuple(Path(file).expanduser().resolve() for file in files)
        for place in places:
            if not place.exists():
                raise AssayError(SOURCE_NOT_FOUND, f"there is no file or folder at {place}")
        policy = (tuple(allowed_columns), tuple(blocked_patterns))
        return cls(places, (*databases, *further), tuple(kept), *policy)

    @property
    def names(self) -> list[str]:
        """What may be named, but for sources that the mesh keeps."""
        return [place.name for place in self.places] + [name_of(url) for url in self.databases]

    def chosen(self, named: Sequence[str]) -> Question:
        """A question about what is named; about all that was offered where nothing is.

        Whether a kept source is there, the mesh says. Raises AssayError(SOURCE_NOT_FOUND) for
        what was not offered, in one sentence whether it exists or not.
        """
        if not named:
            return self._about(self.places, self.databases, self.kept)
        places: list[Path] = []
        databases: list[str] = []
        kept: list[str] = []
        for name in named:
            if (place := self._place(name)) is not None:
                places.append(place)
            elif (url := self._database(name)) is not None:
                databases.append(url)
            elif self._may_be_kept(name):
                kept.append(name)
            else:
                raise self._unknown(name)
        return self._about(places, databases, kept)

    def check_policy(self, job: Job) -> None:
        """Raise AssayError(COLUMN_BLOCKED) for a job that saw more than this policy lets through.

        Jobs of the same person are known by their ids whatever they were made by, and their tables
        bear names of their authors', by which nothing could be hidden any more.
        """
        wanted = (set(self.allowed_columns), set(self.blocked_patterns))
        then = getattr(job, str(job.WhichOneof("work"))).policy
        if any(wanted) and wanted != (set(then.allowed_columns), set(then.blocked_patterns)):
            raise AssayError(
                COLUMN_BLOCKED,
                f"not permitted: job {job.job_id[:8]} was computed under another policy",
                hint="Compute it again with these tools.",
            )

    def _about(
        self, places: Iterable[Path], databases: Iterable[str], kept: Iterable[str]
    ) -> Question:
        return Question(
            text="tools",
            data=tuple(str(place) for place in places),
            databases=tuple(databases),
            on=tuple(kept),
            allowed_columns=self.allowed_columns,
            blocked_patterns=self.blocked_patterns,
        )

    def _place(self, name: str) -> Path | None:
        """The file that is offered under a name, or lies in a folder that is."""
        for place in self.places:
            # Names are told harmlessly.
            if name in (place.name, place.stem, str(place), harmless(place.name)):
                return place
        for place in (place for place in self.places if place.is_dir()):
            try:
                found = (place / Path(name).expanduser()).resolve()
                there = found.is_relative_to(place) and found.exists()
            except (OSError, ValueError, RuntimeError):  # no name of a file
                return None
            if there:
                return found
        return None

    def _database(self, name: str) -> str | None:
        return next(
            (url for url in self.databases if name in (name_of(url), harmless(name_of(url)))), None
        )

    def _may_be_kept(self, name: str) -> bool:
        if self.kept:
            return name in self.kept
        return name.replace("_", "").replace("-", "").isalnum()

    def _unknown(self, name: str) -> AssayError:
        known = [*self.names, *self.kept]
        text = f"Offered are {', '.join(known[:_MOST_NAMED])}. " if known else ""
        return AssayError(
            SOURCE_NOT_FOUND,
            f"no data is offered under the name {name[:100]!r}",
            hint=f"{text}look tells what may be named; a person offers more with "
            "`assay mcp --data` or `assay source add`.",
        )


def name_of(url: str) -> str:
    """A database's name: its file's, or the one behind the host; nothing of a password."""
    return Path(unquote(urlsplit(url).path)).stem or "database"
