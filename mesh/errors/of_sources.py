"""Reasons that lie in the files and databases a question is about; to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

NO_DATA_SOURCES = reason(
    "NO_DATA_SOURCES",
    Kind.WRONG_USE,
    "The request names no file and no database.",
    "Name at least one file or database.",
)
SOURCE_NOT_FOUND = reason(
    "SOURCE_NOT_FOUND",
    Kind.WRONG_USE,
    "There is no file or database at the given place.",
    "Check the path or URL.",
)
SOURCE_NOT_SUPPORTED = reason(
    "SOURCE_NOT_SUPPORTED",
    Kind.WRONG_USE,
    "The kind of source is not one Assay can read.",
    "Use CSV, TSV, JSON, JSON Lines, Parquet, Arrow, Excel, a folder or ZIP archive of them, a "
    "Delta or Iceberg table, or a SQLite, DuckDB or PostgreSQL database.",
)
SOURCE_NOT_READABLE = reason(
    "SOURCE_NOT_READABLE",
    Kind.UNREADABLE,
    "The source exists but its content cannot be read as what it claims to be.",
    "Look at the place the message names.",
)
SOURCE_HOST_REFUSED = reason(
    "SOURCE_HOST_REFUSED",
    Kind.POLICY,
    "This server does not fetch files from that host, or not in the clear.",
    "Ask its operator to list the host in ASSAY_EXECUTOR_WEB_HOSTS, or fetch the file and name "
    "that.",
)
SOURCE_UNREACHABLE = reason(
    "SOURCE_UNREACHABLE",
    Kind.UNAVAILABLE,
    "The host of a file does not answer, or breaks off again and again.",
    "Check the address and the network, and ask again.",
)
SOURCE_LOGIN_REFUSED = reason(
    "SOURCE_LOGIN_REFUSED",
    Kind.POLICY,
    "The host of a file does not let this user read it.",
    "Give the key or password in the address, or in the environment of the executor.",
)
SCHEMA_CHANGED = reason(
    "SCHEMA_CHANGED",
    Kind.STATE,
    "A source has other tables, columns or types than the request's schema_fingerprint says.",
    "Look at what changed; ask without the fingerprint to go by the source as it is.",
)
SEMANTIC_MODEL_INVALID = reason(
    "SEMANTIC_MODEL_INVALID",
    Kind.WRONG_USE,
    "A semantic model is no YAML of the known form, or names what the data does not have.",
    "Mend it where the message says; docs/semantic_model.md tells the form, and "
    "`assay look --propose` writes one that fits the data.",
)
SOURCE_EMPTY = reason(
    "SOURCE_EMPTY",
    Kind.DATA,
    "The source holds no columns, or a header and no rows.",
    "Supply a file with a header row and at least one row.",
)
FILE_PATH_REFUSED = reason(
    "FILE_PATH_REFUSED",
    Kind.POLICY,
    "This server does not open paths of its own machine on request.",
    "Upload the file to a session instead.",
)
MAX_FILES_EXCEEDED = reason(
    "MAX_FILES_EXCEEDED",
    Kind.LIMIT,
    "The session already holds as many files as it may.",
    "Delete one, or open another session.",
)
FILE_TOO_LARGE = reason(
    "FILE_TOO_LARGE", Kind.LIMIT, "The file is larger than allowed.", "Split or filter the file."
)
INVALID_FILE_TYPE = reason(
    "INVALID_FILE_TYPE",
    Kind.WRONG_USE,
    "The file's content is not of a kind that Assay reads, or not what its name says.",
    "Upload CSV, TSV, JSON, JSON Lines, Parquet, Arrow or Excel.",
)
NO_HEADERS = reason(
    "NO_HEADERS",
    Kind.DATA,
    "The file has no header row.",
    "Add a first line with column names.",
)
NAME_TAKEN = reason(
    "NAME_TAKEN",
    Kind.CONFLICT,
    "A source is known by that name already, and it is another one.",
    "Choose another name, or remove the source that has it.",
)
DEFINITION_DECIDED = reason(
    "DEFINITION_DECIDED",
    Kind.STATE,
    "A definition stands otherwise than the decision takes for granted.",
    "Look at it again: only what is pending is approved or rejected, and what is approved retired.",
)
