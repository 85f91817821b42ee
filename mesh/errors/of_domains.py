"""Reasons to refuse or fail over domains and their tools (seed 003); see `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

DOMAIN_REFERRED_TO = reason(
    "DOMAIN_REFERRED_TO",
    Kind.STATE,
    "Other domains name the domain as related.",
    "Take it out of their related domains first; the message names them.",
)
TOOL_SERVER_REFUSED = reason(
    "TOOL_SERVER_REFUSED",
    Kind.POLICY,
    "The MCP server is at a host that the operator does not allow.",
    "Ask the operator to list it in ASSAY_EXECUTOR_MCP_HOSTS, or to set the server up by name.",
)
TOOL_SERVER_UNREACHABLE = reason(
    "TOOL_SERVER_UNREACHABLE",
    Kind.UNAVAILABLE,
    "The MCP server cannot be reached, cannot be started, or does not speak the protocol.",
    "Check its address or command, and that it runs.",
)
TOOL_CHANGED = reason(
    "TOOL_CHANGED",
    Kind.STATE,
    "The tool is no longer described as it was when it was approved, or is gone.",
    "Look at the domain's tools, and approve it again if it is still to be used.",
)
TOOL_NOT_APPROVED = reason(
    "TOOL_NOT_APPROVED",
    Kind.STATE,
    "The domain's tool has not been approved.",
    "Look at the domain's tools, and approve the one that is to be used.",
)
TOOL_CALL_FAILED = reason(
    "TOOL_CALL_FAILED",
    Kind.DATA,
    "The MCP server's tool said that it failed.",
    "The message holds what it said; ask otherwise, or leave the domain out.",
)
TOOL_CALL_TIMED_OUT = reason(
    "TOOL_CALL_TIMED_OUT",
    Kind.LIMIT,
    "The MCP server did not answer in time: 50 seconds a call, if nothing else is set.",
    "Ask for less, or leave the domain out.",
)
TOOL_RESULT_TOO_LARGE = reason(
    "TOOL_RESULT_TOO_LARGE",
    Kind.LIMIT,
    "The MCP server sent more than one call may bring.",
    "Ask for less; the operator may raise ASSAY_EXECUTOR_MCP_BYTES.",
)
DOMAIN_DISABLED = reason(
    "DOMAIN_DISABLED",
    Kind.STATE,
    "The question is about a domain that is disabled.",
    "Enable the domain, or ask what another can tell.",
)
QUESTION_OUT_OF_SCOPE = reason(
    "QUESTION_OUT_OF_SCOPE",
    Kind.DATA,
    "The question is about none of the domains that can be asked.",
    "Ask what they can tell, or name the data: assay chat --data, --db or --on.",
)
