"""Every way Assay can refuse or fail, named once.

A reason is stable: clients branch on it, `docs/errors.md` is generated from this table, and
`mesh.transport.status` turns it into a gRPC status. Messages are for people and may change.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mesh.errors.kinds import EXIT_CODES as EXIT_CODES
from mesh.errors.kinds import ExitCode as ExitCode
from mesh.errors.kinds import Kind as Kind
from mesh.errors.of_access import CLOCKS_DIFFER as CLOCKS_DIFFER
from mesh.errors.of_access import CREDENTIALS_REFUSED as CREDENTIALS_REFUSED
from mesh.errors.of_access import ORIGIN_REFUSED as ORIGIN_REFUSED
from mesh.errors.of_access import PEER_REFUSED as PEER_REFUSED
from mesh.errors.of_access import RATE_EXCEEDED as RATE_EXCEEDED
from mesh.errors.of_access import ROLE_MISSING as ROLE_MISSING
from mesh.errors.of_access import SIGN_IN_ENDED as SIGN_IN_ENDED
from mesh.errors.of_access import STORAGE_EXCEEDED as STORAGE_EXCEEDED
from mesh.errors.of_access import TOKEN_EXPIRED as TOKEN_EXPIRED
from mesh.errors.of_access import TOKEN_REFUSED as TOKEN_REFUSED
from mesh.errors.of_access import TOKEN_REQUIRED as TOKEN_REQUIRED
from mesh.errors.of_boards import BOARD_CHANGED as BOARD_CHANGED
from mesh.errors.of_boards import PIN_OWNER_GONE as PIN_OWNER_GONE
from mesh.errors.of_causal import KNOWLEDGE_INVALID as KNOWLEDGE_INVALID
from mesh.errors.of_causal import NO_ROW_MEASURE as NO_ROW_MEASURE
from mesh.errors.of_causal import NO_TREATMENT_OUTCOME as NO_TREATMENT_OUTCOME
from mesh.errors.of_causal import NOTHING_TO_HAND_OVER as NOTHING_TO_HAND_OVER
from mesh.errors.of_conversations import CONVERSATION_ARCHIVED as CONVERSATION_ARCHIVED
from mesh.errors.of_conversations import CONVERSATION_BUSY as CONVERSATION_BUSY
from mesh.errors.of_conversations import CONVERSATION_CHANGED as CONVERSATION_CHANGED
from mesh.errors.of_conversations import JOB_NOT_COMPLETE as JOB_NOT_COMPLETE
from mesh.errors.of_conversations import NOT_TOLD as NOT_TOLD
from mesh.errors.of_conversations import NOTHING_TO_FOLLOW as NOTHING_TO_FOLLOW
from mesh.errors.of_databases import DATABASE_HOST_REFUSED as DATABASE_HOST_REFUSED
from mesh.errors.of_databases import DATABASE_LOGIN_REFUSED as DATABASE_LOGIN_REFUSED
from mesh.errors.of_databases import DATABASE_PERMISSION_DENIED as DATABASE_PERMISSION_DENIED
from mesh.errors.of_databases import DATABASE_UNREACHABLE as DATABASE_UNREACHABLE
from mesh.errors.of_domains import DOMAIN_DISABLED as DOMAIN_DISABLED
from mesh.errors.of_domains import DOMAIN_REFERRED_TO as DOMAIN_REFERRED_TO
from mesh.errors.of_domains import QUESTION_OUT_OF_SCOPE as QUESTION_OUT_OF_SCOPE
from mesh.errors.of_domains import TOOL_CALL_FAILED as TOOL_CALL_FAILED
from mesh.errors.of_domains import TOOL_CALL_TIMED_OUT as TOOL_CALL_TIMED_OUT
from mesh.errors.of_domains import TOOL_CHANGED as TOOL_CHANGED
from mesh.errors.of_domains import TOOL_NOT_APPROVED as TOOL_NOT_APPROVED
from mesh.errors.of_domains import TOOL_RESULT_TOO_LARGE as TOOL_RESULT_TOO_LARGE
from mesh.errors.of_domains import TOOL_SERVER_REFUSED as TOOL_SERVER_REFUSED
from mesh.errors.of_domains import TOOL_SERVER_UNREACHABLE as TOOL_SERVER_UNREACHABLE
from mesh.errors.of_investigations import INVALID_DATE_RANGE as INVALID_DATE_RANGE
from mesh.errors.of_investigations import INVESTIGATION_NOT_COMPLETE as INVESTIGATION_NOT_COMPLETE
from mesh.errors.of_investigations import LEAF_COLUMNS_NOT_FOUND as LEAF_COLUMNS_NOT_FOUND
from mesh.errors.of_investigations import LEAF_VALUES_NOT_USABLE as LEAF_VALUES_NOT_USABLE
from mesh.errors.of_investigations import METRIC_NOT_UNDERSTOOD as METRIC_NOT_UNDERSTOOD
from mesh.errors.of_investigations import METRIC_SQL_REQUIRED as METRIC_SQL_REQUIRED
from mesh.errors.of_investigations import NO_DIMENSIONS as NO_DIMENSIONS
from mesh.errors.of_investigations import NO_FILES_UPLOADED as NO_FILES_UPLOADED
from mesh.errors.of_investigations import NO_ROWS_IN_PERIOD as NO_ROWS_IN_PERIOD
from mesh.errors.of_investigations import NO_TIME_COLUMN as NO_TIME_COLUMN
from mesh.errors.of_operation import AUDIT_UNAVAILABLE as AUDIT_UNAVAILABLE
from mesh.errors.of_operation import DISK_FULL as DISK_FULL
from mesh.errors.of_operation import ENGINE_UNAVAILABLE as ENGINE_UNAVAILABLE
from mesh.errors.of_operation import EXECUTOR_LOST as EXECUTOR_LOST
from mesh.errors.of_operation import HOME_BUSY as HOME_BUSY
from mesh.errors.of_operation import SANDBOX_UNAVAILABLE as SANDBOX_UNAVAILABLE
from mesh.errors.of_operation import SCHEMA_AHEAD as SCHEMA_AHEAD
from mesh.errors.of_operation import SCHEMA_BEHIND as SCHEMA_BEHIND
from mesh.errors.of_operation import SERVICE_UNAVAILABLE as SERVICE_UNAVAILABLE
from mesh.errors.of_operation import STATE_DAMAGED as STATE_DAMAGED
from mesh.errors.of_publications import PAGE_REVOKED as PAGE_REVOKED
from mesh.errors.of_publications import PAGE_UNSAFE as PAGE_UNSAFE
from mesh.errors.of_publications import TEXT_FAILS as TEXT_FAILS
from mesh.errors.of_questions import CLARIFICATION_NEEDED as CLARIFICATION_NEEDED
from mesh.errors.of_questions import NO_PENDING_QUESTION as NO_PENDING_QUESTION
from mesh.errors.of_questions import NO_SUCH_OPTION as NO_SUCH_OPTION
from mesh.errors.of_questions import NOTHING_UNDERSTOOD as NOTHING_UNDERSTOOD
from mesh.errors.of_questions import QUESTION_BLOCKED as QUESTION_BLOCKED
from mesh.errors.of_questions import QUESTION_EMPTY as QUESTION_EMPTY
from mesh.errors.of_questions import QUESTION_TOO_LONG as QUESTION_TOO_LONG
from mesh.errors.of_sources import DEFINITION_DECIDED as DEFINITION_DECIDED
from mesh.errors.of_sources import FILE_PATH_REFUSED as FILE_PATH_REFUSED
from mesh.errors.of_sources import FILE_TOO_LARGE as FILE_TOO_LARGE
from mesh.errors.of_sources import INVALID_FILE_TYPE as INVALID_FILE_TYPE
from mesh.errors.of_sources import MAX_FILES_EXCEEDED as MAX_FILES_EXCEEDED
from mesh.errors.of_sources import NAME_TAKEN as NAME_TAKEN
from mesh.errors.of_sources import NO_DATA_SOURCES as NO_DATA_SOURCES
from mesh.errors.of_sources import NO_HEADERS as NO_HEADERS
from mesh.errors.of_sources import SCHEMA_CHANGED as SCHEMA_CHANGED
from mesh.errors.of_sources import SEMANTIC_MODEL_INVALID as SEMANTIC_MODEL_INVALID
from mesh.errors.of_sources import SOURCE_EMPTY as SOURCE_EMPTY
from mesh.errors.of_sources import SOURCE_HOST_REFUSED as SOURCE_HOST_REFUSED
from mesh.errors.of_sources import SOURCE_LOGIN_REFUSED as SOURCE_LOGIN_REFUSED
from mesh.errors.of_sources import SOURCE_NOT_FOUND as SOURCE_NOT_FOUND
from mesh.errors.of_sources import SOURCE_NOT_READABLE as SOURCE_NOT_READABLE
from mesh.errors.of_sources import SOURCE_NOT_SUPPORTED as SOURCE_NOT_SUPPORTED
from mesh.errors.of_sources import SOURCE_UNREACHABLE as SOURCE_UNREACHABLE
from mesh.errors.reasons import REASONS as REASONS
from mesh.errors.reasons import Reason as Reason
from mesh.errors.reasons import reason as _reason

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
SQL_REFUSED = _reason(
    "SQL_REFUSED",
    Kind.POLICY,
    "A statement is not a read-only query over allowed tables and functions.",
    "Only SELECT over the sources of the request is run.",
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
