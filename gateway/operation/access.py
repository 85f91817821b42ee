"""What a person may do and see: by role, and of columns under a policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.common.v1 import access_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import operator_service_pb2 as pb
from mesh.roles import Role

_TEXT = executor_pb.DATA_TYPE_STRING
_MAY = {
    Role.READER: "reads, lists, watches, downloads and checks what is the tenant's",
    Role.ANALYST: "asks, uploads, names sources, answers, stops and deletes",
    Role.OPERATOR: "makes and revokes keys, decides on definitions, and sees how the mesh is",
}


def methods_of(role: Role, needed: Mapping[str, Role]) -> list[str]:
    """The methods that a role may call, as "JobService/ListJobs"."""
    may = (name for name, least in needed.items() if Role.NONE < least <= role)
    return sorted(name.rpartition(".")[2] for name in may)


def describe_role(user: str, tenant: str, role: Role, *, by_role: bool) -> Iterator[str]:
    """What a role lets somebody do, in sentences."""
    who = user or f"Whoever is {_article(role)} {role.word}"
    if role is Role.NONE:
        yield (
            f"{who} has no key that is good now. What they may do is said by the token that they "
            "sign in with, or by the way they come: over the socket of the server's own home "
            "everything, by name on its machine what an analyst may where names are believed there."
        )
    elif user:
        holds = "is taken for" if by_role else "has a key as"
        yield f"{who} {holds} {_article(role)} {role.word}."
    for one in Role:
        if one in _MAY and one <= role:
            yield f"{'Also' if one > Role.READER else who} {_MAY[one]}."
    yield (
        f"Within the tenant {tenant} nothing is one user's alone: jobs with their answers, files, "
        "boards and sources are everybody's. Of other tenants nothing is seen."
    )


def describe_policy(policy: data_pb2.Policy) -> Iterator[str]:
    """What a policy takes away, in sentences."""
    if not (policy.allowed_columns or policy.blocked_patterns):
        yield (
            "No column is kept from anybody by itself: a policy comes with a request, and this one "
            "has none. Every column and row of the data is seen."
        )
        return
    if policy.allowed_columns:
        yield f"Of all columns there are {', '.join(policy.allowed_columns)} alone."
    if policy.blocked_patterns:
        yield (
            f"Columns whose name is that of {_listed(policy.blocked_patterns)} are not there; a "
            "text cell that holds such data is a pseudonym; a question that does is refused."
        )
    yield "All rows are seen: a policy takes columns and cells away, and no row."


def tables_of(
    whole: executor_pb.DescribeSourceResponse,
    seen: executor_pb.DescribeSourceResponse,
    *,
    searched: bool,
) -> list[pb.TableAccess]:
    """Each table of the `whole` data with what is left of its columns where a policy let these be
    `seen`; its texts are `searched` where the policy has patterns."""
    left = {table.name: table for table in seen.tables}
    return [_table(table, left.get(table.name), searched) for table in whole.tables]


def _table(
    whole: executor_pb.TableDescription, seen: executor_pb.TableDescription | None, searched: bool
) -> pb.TableAccess:
    left = {column.name: column for column in (seen.columns if seen is not None else ())}
    columns = [
        pb.ColumnAccess(name=column.name, sight=_sight(column, left.get(column.name), searched))
        for column in whole.columns
    ]
    return pb.TableAccess(name=whole.name, rows=whole.rows, columns=columns)


def _sight(
    whole: executor_pb.ColumnDescription, seen: executor_pb.ColumnDescription | None, searched: bool
) -> pb.Sight.ValueType:
    if seen is None:
        return pb.SIGHT_HIDDEN
    if not searched:
        return pb.SIGHT_SHOWN
    if list(seen.sample_values) != list(whole.sample_values) or seen.data_type != whole.data_type:
        return pb.SIGHT_MASKED
    return pb.SIGHT_MASKED_WHERE_MATCHED if seen.data_type == _TEXT else pb.SIGHT_SHOWN


def as_role(number: access_pb2.Role.ValueType) -> Role:
    """A role of the contract; none for one that is not known."""
    return Role(number) if number in access_pb2.Role.values() else Role.NONE


def _listed(patterns: Sequence[str]) -> str:
    return " or ".join(patterns)


def _article(role: Role) -> str:
    return "a" if role is Role.READER else "an"
