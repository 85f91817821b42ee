"""Who calls whom among the services: the house's edges, told once.

Certificates are held against them where services talk TLS (`mesh.transport.interceptors.edges`),
the NetworkPolicies in k8s/ against them by a test, and both against the calls that a mesh makes.
"""

from __future__ import annotations

from collections.abc import Iterable

CALLERS = {
    "planner": frozenset({"gateway"}),
    "executor": frozenset({"gateway", "planner"}),
    "memory": frozenset({"gateway", "planner"}),
    "audit": frozenset({"gateway", "planner", "executor"}),
}
"""The services that may call each; whoever may call the gateway, its own rules say."""

FLIGHT_READERS = frozenset({"gateway", "planner", "executor"})
"""Who fetches frames from executors by Arrow Flight."""


def may_call(service: str, names: Iterable[str]) -> bool:
    """Whether whoever proved to have one of the DNS `names` may call `service`: a name stands for
    the service that its first label is (`planner.assay.svc` for the planner)."""
    return any(name.partition(".")[0] in CALLERS[service] for name in names)
