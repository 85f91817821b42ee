"""Where data is: one file or database, how to read it, and what it means."""

from __future__ import annotations

from pathlib import PurePath
from urllib.parse import urlsplit, urlunsplit

from pydantic import Field

from mesh.digest import sha256_hex
from services.planner.domain.frozen import Frozen


class ModelText(Frozen):
    """The text of a semantic model, and what people call it; `definition` is the id of the approved
    definition that it is, empty for a model of the request's own."""

    name: str
    text: str
    definition: str = ""

    @property
    def sha256(self) -> str:
        """The digest of the text, by which records name it."""
        return sha256_hex(self.text.encode())


class DataSource(Frozen):
    """One file, database or frame; exactly one of connection_string, file_path, file_id and frame
    is set.

    `content_digest` is what an uploaded file holds, as the executor knows it. `frame` is the job of
    whose table a frame is, `frame_digest` the table itself. `read_options` is the
    JSON form of how to read a file, for the executor; empty for none. `semantic_models` say what
    is in it means, for the planner.
    """

    type: str = ""
    connection_string: str = Field(default="", repr=False)
    file_path: str = ""
    file_id: str = ""
    content_digest: str = ""
    frame: str = ""
    frame_digest: str = ""
    schema_fingerprint: str = ""
    name: str = ""
    read_options: str = ""
    semantic_models: tuple[ModelText, ...] = ()

    @property
    def label(self) -> str:
        """What people call it: the name given, else that of the file or database."""
        try:
            place = self.file_path or urlsplit(self.connection_string).path
        except ValueError:  # no address, which whoever is to read it says
            place = ""
        return self.name or PurePath(place).name or self.file_id[:8] or self.frame[:8]

    @property
    def address(self) -> str:
        """Where it is: a file's path, or a database's URL without its user and options, which may
        hold secrets; of an uploaded file, which has no place, its label."""
        if self.file_path:
            return self.file_path
        try:
            parts = urlsplit(self.connection_string)
            place = parts.netloc.rpartition("@")[2]
        except ValueError:
            return self.label
        shown = urlunsplit((parts.scheme, place, parts.path, "", ""))
        return shown if parts.scheme else self.label
