"""Every way Assay can refuse or fail, named once.

A reason is stable: clients branch on it, `docs/errors.md` is generated from this table, and
`mesh.status` turns it into a gRPC status. Messages are for people and may change.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mesh.errors_of_access import RATE_EXCEEDED as RATE_EXCEEDED
from mesh.errors_of_access import ROLE_MISSING as ROLE_MISSING
from mesh.errors_of_access import STORAGE_EXCEEDED as STORAGE_EXCEEDED
from mesh.errors_of_access import TOKEN_EXPIRED as TOKEN_EXPIRED
from mesh.errors_of_access import TOKEN_REFUSED as TOKEN_REFUSED
from mesh.errors_of_access import TOKEN_REQUIRED as TOKEN_REQUIRED
from mesh.errors_of_causal import KNOWLEDGE_INVALID as KNOWLEDGE_INVALID
from mesh.errors_of_causal import NO_ROW_MEASURE as NO_ROW_MEASURE
from mesh.errors_of_causal import NO_TREATMENT_OUTCOME as NO_TREATMENT_OUTCOME
from mesh.errors_of_causal import NOTHING_TO_HAND_OVER as NOTHING_TO_HAND_OVER
from mesh.errors_of_conversations import CONVERSATION_ARCHIVED as CONVERSATION_ARCHIVED
from mesh.errors_of_conversations import CONVERSATION_BUSY as CONVERSATION_BUSY
from mesh.errors_of_conversations import JOB_NOT_COMPLETE as JOB_NOT_COMPLETE
from mesh.errors_of_conversations import NOT_TOLD as NOT_TOLD
from mesh.errors_of_conversations import NOTHING_TO_FOLLOW as NOTHING_TO_FOLLOW
from mesh.errors_of_databases import DATABASE_HOST_REFUSED as DATABASE_HOST_REFUSED
from mesh.errors_of_databases import DATABASE_LOGIN_REFUSED as DATABASE_LOGIN_REFUSED
from mesh.errors_of_databases import DATABASE_PERMISSION_DENIED as DATABASE_PERMISSION_DENIED
from mesh.errors_of_databases import DATABASE_UNREACHABLE as DATABASE_UNREACHABLE
from mesh.errors_of_domains import DOMAIN_REFERRED_TO as DOMAIN_REFERRED_TO
from mesh.errors_of_domains import QUESTION_OUT_OF_SCOPE as QUESTION_OUT_OF_SCOPE
from mesh.errors_of_domains import TOOL_CALL_FAILED as TOOL_CALL_FAILED
from mesh.errors_of_domains import TOOL_CALL_TIMED_OUT as TOOL_CALL_TIMED_OUT
from mesh.errors_of_domains import TOOL_CHANGED as TOOL_CHANGED
from mesh.errors_of_domains import TOOL_NOT_APPROVED as TOOL_NOT_APPROVED
from mesh.errors_of_domains import TOOL_RESULT_TOO_LARGE as TOOL_RESULT_TOO_LARGE
from mesh.errors_of_domains import TOOL_SERVER_REFUSED as TOOL_SERVER_REFUSED
from mesh.errors_of_domains import TOOL_SERVER_UNREACHABLE as TOOL_SERVER_UNREACHABLE
from mesh.errors_of_investigations import INVALID_DATE_RANGE as INVALID_DATE_RANGE
from mesh.errors_of_investigations import INVESTIGATION_NOT_COMPLETE as INVESTIGATION_NOT_COMPLETE
from mesh.errors_of_investigations import LEAF_COLUMNS_NOT_FOUND as LEAF_COLUMNS_NOT_FOUND
from mesh.errors_of_investigations import LEAF_VALUES_NOT_USABLE as LEAF_VALUES_NOT_USABLE
from mesh.errors_of_investigations import METRIC_NOT_UNDERSTOOD as METRIC_NOT_UNDERSTOOD
from mesh.errors_of_investigations import METRIC_SQL_REQUIRED as METRIC_SQL_REQUIRED
from mesh.errors_of_investigations import NO_DIMENSIONS as NO_DIMENSIONS
from mesh.errors_of_investigations import NO_FILES_UPLOADED as NO_FILES_UPLOADED
from mesh.errors_of_investigations import NO_ROWS_IN_PERIOD as NO_ROWS_IN_PERIOD
from mesh.errors_of_investigations import NO_TIME_COLUMN as NO_TIME_COLUMN
from mesh.kinds import EXIT_CODES as EXIT_CODES
from mesh.kinds import ExitCode as ExitCode
from mesh.kinds import Kind as Kind
from mesh.reasons import REASONS as REASONS
from mesh.reasons import Reason as Reason
from mesh.reasons import reason as _reason

QUESTION_EMPTY = _reason(
    "QUESTION_EMPTY", Kind.WRONG_USE, "The question has no words in it.", "Ask something."
)
QUESTION_TOO_LONG = _reason(
    "QUESTION_TOO_LONG",
    Kind.WRONG_USE,
    "The question is longer than 2,000 characters.",
    "Shorten it; put background into a file.",
)
NO_DATA_SOURCES = _reason(
    "NO_DATA_SOURCES",
    Kind.WRONG_USE,
    "The request names no file and no database.",
    "Name at least one file or database.",
)
LIMIT_OUT_OF_RANGE = _reason(
    "LIMIT_OUT_OF_RANGE",
    Kind.WRONG_USE,
    "A limit lies outside what is allowed: rows 1 to 200,000, timeout 1 to 180 seconds "
    "(of a causal job 3,600).",
    "Choose a value inside the range.",
)
UNKNOWN_DELIVERABLE = _reason(
    "UNKNOWN_DELIVERABLE",
    Kind.WRONG_USE,
    "A deliverable is not one of tables, charts, reports, summary.",
    "Name one of the four.",
)
INVALID_ARGUMENT = _reason(
    "INVALID_ARGUMENT",
    Kind.WRONG_USE,
    "A field of the request is malformed.",
    "See the field violations.",
)
SOURCE_NOT_FOUND = _reason(
    "SOURCE_NOT_FOUND",
    Kind.WRONG_USE,
    "There is no file or database at the given place.",
    "Check the path or URL.",
)
SOURCE_NOT_SUPPORTED = _reason(
    "SOURCE_NOT_SUPPORTED",
    Kind.WRONG_USE,
    "The kind of source is not one Assay can read.",
    "Use CSV, TSV, JSON, JSON Lines, Parquet, Arrow, Excel, a folder or ZIP archive of them, or a "
    "SQLite, DuckDB or PostgreSQL database.",
)
SOURCE_NOT_READABLE = _reason(
    "SOURCE_NOT_READABLE",
    Kind.UNREADABLE,
    "The source exists but its content cannot be read as what it claims to be.",
    "Look at the place the message names.",
)
SCHEMA_CHANGED = _reason(
    "SCHEMA_CHANGED",
    Kind.STATE,
    "A source has other tables, columns or types than the request's schema_fingerprint says.",
    "Look at what changed; ask without the fingerprint to go by the source as it is.",
)
SEMANTIC_MODEL_INVALID = _reason(
    "SEMANTIC_MODEL_INVALID",
    Kind.WRONG_USE,
    "A semantic model is no YAML of the known form, or names what the data does not have.",
    "Mend it where the message says; docs/semantic_model.md tells the form, and "
    "`assay look --propose` writes one that fits the data.",
)
SOURCE_EMPTY = _reason(
    "SOURCE_EMPTY",
    Kind.DATA,
    "The source holds no columns, or a header and no rows.",
    "Supply a file with a header row and at least one row.",
)
NOTHING_UNDERSTOOD = _reason(
    "NOTHING_UNDERSTOOD",
    Kind.DATA,
    "No word of the question could be tied to a table, column or value of the data.",
    "Name a column or table; the message lists what there is.",
)
CLARIFICATION_NEEDED = _reason(
    "CLARIFICATION_NEEDED",
    Kind.STATE,
    "The question has several readings that give different answers.",
    "Answer with one of the options, or ask again and let the likeliest reading be assumed.",
)
NO_PENDING_QUESTION = _reason(
    "NO_PENDING_QUESTION",
    Kind.STATE,
    "The job is not waiting for an answer.",
    "See the job's state.",
)
NO_SUCH_OPTION = _reason(
    "NO_SUCH_OPTION",
    Kind.WRONG_USE,
    "The answer to a question back is neither the id nor the text of one of its options.",
    "Answer with one of the options.",
)
PLAN_INVALID = _reason(
    "PLAN_INVALID",
    Kind.INTERNAL,
    "The plan has a cycle, an unknown tool, or costs more time than the request allows.",
    "The message says which: give more time with --timeout, or report it with the job's id.",
)
STEP_FAILED = _reason(
    "STEP_FAILED",
    Kind.DATA,
    "A step still failed after three attempts.",
    "Read the attempts in the report; ask more narrowly.",
)
STATEMENT_FAILED = _reason(
    "STATEMENT_FAILED",
    Kind.DATA,
    "A statement cannot be run as it is: it is no SQL, or names what the sources do not have.",
    "Mend it where the message says.",
)
COLUMN_BLOCKED = _reason(
    "COLUMN_BLOCKED",
    Kind.POLICY,
    "The question needs a column that policy does not allow.",
    "Ask without it, or change the policy.",
)
QUESTION_BLOCKED = _reason(
    "QUESTION_BLOCKED",
    Kind.POLICY,
    "The question itself holds text that a blocked pattern matches.",
    "Take the personal data out of the question.",
)
SQL_REFUSED = _reason(
    "SQL_REFUSED",
    Kind.POLICY,
    "A statement is not a read-only query over allowed tables and functions.",
    "Only SELECT over the sources of the request is run.",
)
FILE_PATH_REFUSED = _reason(
    "FILE_PATH_REFUSED",
    Kind.POLICY,
    "This server does not open paths of its own machine on request.",
    "Upload the file to a session instead.",
)
TIMEOUT = _reason(
    "TIMEOUT", Kind.LIMIT, "The time limit was reached.", "Allow more time, or ask for less."
)
ROW_LIMIT = _reason(
    "ROW_LIMIT",
    Kind.LIMIT,
    "A step produced more rows than the row limit.",
    "Raise the row limit, or aggregate.",
)
RESOURCE_EXHAUSTED = _reason(
    "RESOURCE_EXHAUSTED",
    Kind.LIMIT,
    "A cap on memory, bytes or message size was reached.",
    "Ask for less at once.",
)
MAX_FILES_EXCEEDED = _reason(
    "MAX_FILES_EXCEEDED",
    Kind.LIMIT,
    "The session already holds as many files as it may.",
    "Delete one, or open another session.",
)
FILE_TOO_LARGE = _reason(
    "FILE_TOO_LARGE", Kind.LIMIT, "The file is larger than allowed.", "Split or filter the file."
)
INVALID_FILE_TYPE = _reason(
    "INVALID_FILE_TYPE",
    Kind.WRONG_USE,
    "The file's content is not of a kind that Assay reads, or not what its name says.",
    "Upload CSV, TSV, JSON, JSON Lines, Parquet, Arrow or Excel.",
)
NO_HEADERS = _reason(
    "NO_HEADERS",
    Kind.DATA,
    "The file has no header row.",
    "Add a first line with column names.",
)
SESSION_EXPIRED = _reason(
    "SESSION_EXPIRED", Kind.STATE, "The session's time is over.", "Open a new session."
)
NOT_FOUND = _reason(
    "NOT_FOUND",
    Kind.NOT_FOUND,
    "There is no such thing, or it is not yours.",
    "Check the id; lists name what is yours.",
)
ID_REUSED = _reason(
    "ID_REUSED",
    Kind.CONFLICT,
    "The request id was used before, for something else.",
    "Choose a new id; repeat an old one only with what it was first sent with.",
)
NAME_TAKEN = _reason(
    "NAME_TAKEN",
    Kind.CONFLICT,
    "A source is known by that name already, and it is another one.",
    "Choose another name, or remove the source that has it.",
)
CREDENTIALS_REFUSED = _reason(
    "CREDENTIALS_REFUSED",
    Kind.IDENTITY,
    "The call does not say who calls, says it twice, or in a form that no name has.",
    "Send x-assay-user once, with 1 to 100 printable ASCII characters and no comma.",
)
PEER_REFUSED = _reason(
    "PEER_REFUSED",
    Kind.IDENTITY,
    "A service behind the gateway was called by somebody who is not a service of the same mesh.",
    "Call the gateway. Services of one mesh share a home folder or the same ASSAY_MESH_KEY.",
)
TICKET_EXPIRED = _reason(
    "TICKET_EXPIRED",
    Kind.STATE,
    "The ticket of a frame was good for a short time, which is over.",
    "Ask where the frame is again; a fresh ticket comes with the answer.",
)
QUEUE_FULL = _reason(
    "QUEUE_FULL",
    Kind.LIMIT,
    "So much work waits already that no more is taken.",
    "Try again after the time that the answer names.",
)
READER_TOO_SLOW = _reason(
    "READER_TOO_SLOW",
    Kind.LIMIT,
    "The reader of a stream took nothing for so long that it was cut off.",
    "Read without long pauses; a frame can be resumed at the row where it broke off.",
)
JOB_FINISHED = _reason("JOB_FINISHED", Kind.STATE, "The job has ended already.", "See its result.")
UNKNOWN_TOOL = _reason(
    "UNKNOWN_TOOL",
    Kind.WRONG_USE,
    "No tool of that name is registered.",
    "Choose one of those that are listed.",
)
TOOL_ARGUMENTS_INVALID = _reason(
    "TOOL_ARGUMENTS_INVALID",
    Kind.WRONG_USE,
    "The arguments do not fit the tool's schema.",
    "See the field violations.",
)
ATTEMPT_OUT_OF_ORDER = _reason(
    "ATTEMPT_OUT_OF_ORDER",
    Kind.STATE,
    "A second or third attempt at a step was called without a failed one before it on record.",
    "Begin with attempt 1. Where the executor's records were lost, ask the question again.",
)
SERVICE_UNAVAILABLE = _reason(
    "SERVICE_UNAVAILABLE",
    Kind.UNAVAILABLE,
    "A service of the mesh cannot be reached.",
    "Try again; if it stays away, check its address and that it runs.",
)
SCHEMA_BEHIND = _reason(
    "SCHEMA_BEHIND",
    Kind.UNAVAILABLE,
    "A database is of an earlier version, and services may not change it (ASSAY_MIGRATIONS=check).",
    "Run `python -m services migrate` with the new version, then start the service again.",
)
SCHEMA_AHEAD = _reason(
    "SCHEMA_AHEAD",
    Kind.UNAVAILABLE,
    "A database is of a newer version than this Assay.",
    "Use the version of Assay that wrote it or a newer one, or restore a copy of before.",
)
EXECUTOR_LOST = _reason(
    "EXECUTOR_LOST",
    Kind.UNAVAILABLE,
    "The executor died every time it was asked for the same thing.",
    "Look at the executor's log; it may need more memory, or fewer rows at once.",
)
ENGINE_UNAVAILABLE = _reason(
    "ENGINE_UNAVAILABLE",
    Kind.UNAVAILABLE,
    "A query engine cannot be used: its driver is missing, or its server does not answer.",
    "Install its extra, check its address and that its server runs.",
)
SANDBOX_UNAVAILABLE = _reason(
    "SANDBOX_UNAVAILABLE",
    Kind.UNAVAILABLE,
    "Generated Python is not run, because nothing on this machine would keep it in.",
    "Install bubblewrap and libseccomp and allow user namespaces, or use a kernel with landlock.",
)
HOME_BUSY = _reason(
    "HOME_BUSY",
    Kind.UNAVAILABLE,
    "Another Assay owns this home folder and did not let go in time.",
    "Wait for it, attach to it, or choose another home folder.",
)
DISK_FULL = _reason(
    "DISK_FULL",
    Kind.UNAVAILABLE,
    "The disk under the home folder, or a quota on it, has no room left.",
    "Free some of it, or move the home folder to a larger disk; what is stored is kept.",
)
STATE_DAMAGED = _reason(
    "STATE_DAMAGED",
    Kind.UNAVAILABLE,
    "A file that Assay keeps its state in is damaged, missing or cannot be used.",
    "Restore the file that the message names from a copy.",
)
AUDIT_UNAVAILABLE = _reason(
    "AUDIT_UNAVAILABLE",
    Kind.UNAVAILABLE,
    "The audit log cannot be written, so nothing may be done.",
    "Free disk space or restore the audit service.",
)
CANCELLED = _reason(
    "CANCELLED", Kind.CANCELLED, "The work was cancelled.", "What was finished is kept."
)
VERIFICATION_FAILED = _reason(
    "VERIFICATION_FAILED",
    Kind.INTEGRITY,
    "A chain, proof, hash or number does not hold.",
    "Trust nothing after the place the message names.",
)
INTERNAL = _reason(
    "INTERNAL",
    Kind.INTERNAL,
    "A fault of Assay's own.",
    "Please report it with the request id.",
)


@dataclass(slots=True)
class AssayError(Exception):
    """A refusal or failure, for people: what was wrong, where, and what to do.

    `fields` maps a request field to what is wrong with it; `metadata` carries machine-readable
    particulars (a path, a column, a limit). Neither may hold credentials or cell values.
    `retry_seconds` says when trying the same again may help; None where that is not known.
    """

    reason: Reason
    message: str
    hint: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)
    retry_seconds: float | None = None

    def __str__(self) -> str:
        return f"{self.reason.code}: {self.message}"

    @property
    def remedy(self) -> str:
        """What to do: the particular hint where there is one, else the reason's own."""
        return self.hint or self.reason.remedy
