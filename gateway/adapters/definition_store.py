"""Definitions in SQL; implements `gateway.store_ports.DefinitionStore`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.tables import DefinitionRow
from gateway.domain.definition import (
    MOST_APPROVED,
    NEXT,
    Decision,
    Definition,
    DefinitionState,
    Effect,
)
from gateway.domain.session import absent
from mesh.errors import DEFINITION_DECIDED, AssayError
from mesh.paging import keys_of, moment_key, moment_of, token_of
from mesh.storage.database import Database


class SqlDefinitionStore:
    """Definitions of all tenants; no method shows one tenant another's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, definition: Definition) -> Definition:
        """Store a new definition, or find the one of that id."""

        def work(transaction: Transaction) -> Definition:
            row = transaction.get(DefinitionRow, definition.definition_id)
            if row is None:
                row = _row(definition)
                transaction.add(row)
            return _definition(_own(row, definition.tenant))

        return await committed(self._database, "definition-added", work)

    async def get(self, tenant: str, definition_id: str) -> Definition:
        """The tenant's definition of that id."""

        def work(transaction: Transaction) -> Definition:
            row = transaction.get(DefinitionRow, definition_id)
            if row is None:
                raise absent("definition", definition_id)
            return _definition(_own(row, tenant))

        return await self._database.reading(work)

    async def page(
        self, tenant: str, state: DefinitionState | None, size: int, token: str
    ) -> tuple[list[Definition], str]:
        """Newest first; a token names the last definition of the page before."""
        listing = f"definitions {state or ''}"
        after = keys_of(listing, token, (str, str))
        moment, key = DefinitionRow.proposed_at, DefinitionRow.definition_id
        wanted = select(DefinitionRow).where(DefinitionRow.tenant == tenant)
        wanted = wanted.order_by(moment.desc(), key).limit(size + 1)
        if state is not None:
            wanted = wanted.where(DefinitionRow.state == state)
        if after is not None:
            last = moment_of(after[0])
            wanted = wanted.where(or_(moment < last, and_(moment == last, key > after[1])))
        found = await self._database.reading(
            lambda transaction: [_definition(row) for row in transaction.scalars(wanted)]
        )
        page = found[:size]
        if len(found) <= size:
            return page, ""
        return page, token_of(listing, (moment_key(page[-1].proposed_at), page[-1].definition_id))

    async def approved(self, tenant: str, places: Sequence[str]) -> list[Definition]:
        """What is approved of sources that are all at these places."""
        wanted = _approved(tenant).where(DefinitionRow.place.in_(list(places)))
        found = await self._database.reading(
            lambda transaction: [_definition(row) for row in transaction.scalars(wanted)]
        )
        return [one for one in found if set(one.places) <= set(places)]

    async def decide(
        self, tenant: str, definition_id: str, state: DefinitionState, decision: Decision
    ) -> tuple[Definition, list[Definition]]:
        """Decide, where it stands as the decision takes for granted."""

        def work(transaction: Transaction) -> tuple[Definition, list[Definition]]:
            row = transaction.get(DefinitionRow, definition_id, with_for_update=True)
            if row is None:
                raise absent("definition", definition_id)
            known = _definition(_own(row, tenant))
            if known.state is state:  # said again, as after an answer that was lost
                return known, []
            _require(known, state)
            again = []
            if state is DefinitionState.APPROVED:
                same = _approved(tenant).where(DefinitionRow.places == row.places)
                rows = transaction.scalars(same.with_for_update())
                others = list(rows)
                again = [one for one in others if _says_anew(known, _definition(one))]
                _require_room(len(others) - len(again))
            changes = state is not DefinitionState.REJECTED
            version = _next_version(transaction, tenant, row.places) if changes else 0
            _decided(row, state, decision, version)
            for one in again:
                _decided(one, DefinitionState.RETIRED, decision, version)
                one.reason = f"replaced by {definition_id[:8]}"
            return _definition(row), [_definition(one) for one in again]

        return await committed(self._database, "definition-decided", work)


def _approved(tenant: str) -> Select[DefinitionRow]:
    """What is approved, in the order of its approval."""
    approved = DefinitionRow.state == DefinitionState.APPROVED
    wanted = select(DefinitionRow).where(DefinitionRow.tenant == tenant, approved)
    return wanted.order_by(DefinitionRow.decided_at, DefinitionRow.version)


def _next_version(transaction: Transaction, tenant: str, places: str) -> int:
    """Of the sources' approved definitions together, from 1."""
    newest = select(func.max(DefinitionRow.version)).where(
        DefinitionRow.tenant == tenant, DefinitionRow.places == places
    )
    return int(transaction.scalar(newest) or 0) + 1


def _require(known: Definition, state: DefinitionState) -> None:
    if known.state is NEXT[state]:
        return
    by = f", by {known.decision.by}" if known.decision is not None else ""
    raise AssayError(
        DEFINITION_DECIDED,
        f"definition {known.definition_id[:8]} is {known.state}{by}",
        fields={"state": f"{state} is for what is {NEXT[state]}"},
    )


def _require_room(others: int) -> None:
    if others >= MOST_APPROVED:
        raise AssayError(
            DEFINITION_DECIDED,
            f"{MOST_APPROVED} definitions of these sources are approved, which are the most",
            hint="Retire some, or put them into the semantic model of the source.",
        )


def _says_anew(new: Definition, old: Definition) -> bool:
    """Whether all that an approved definition says is said by a new one."""
    return set(old.subjects) <= set(new.subjects)


def _decided(row: DefinitionRow, state: DefinitionState, decision: Decision, version: int) -> None:
    row.state = state
    row.decided_by, row.decided_at, row.reason = decision.by, decision.at, decision.reason
    row.version = version


def _own(row: DefinitionRow, tenant: str) -> DefinitionRow:
    if row.tenant != tenant:
        raise absent("definition", row.definition_id)
    return row


def _row(one: Definition) -> DefinitionRow:
    measured = {"facts": one.facts, "effects": [asdict(effect) for effect in one.effects]}
    return DefinitionRow(
        definition_id=one.definition_id,
        tenant=one.tenant,
        place=one.places[0],
        places=" ".join(one.places),
        sources=json.dumps(one.sources),
        model=one.model,
        evidence=one.evidence,
        measured=json.dumps(measured, ensure_ascii=False),
        proposed_by=one.proposed_by,
        proposed_at=one.proposed_at,
        state=one.state,
        decided_by="",
        decided_at=None,
        reason="",
        version=0,
    )


def _definition(row: DefinitionRow) -> Definition:
    measured = json.loads(row.measured)
    decision = None
    if row.decided_at is not None:
        decision = Decision(row.decided_by, row.decided_at, row.reason, row.version)
    return Definition(
        tenant=row.tenant,
        definition_id=row.definition_id,
        places=tuple(row.places.split()),
        sources=tuple(json.loads(row.sources)),
        model=row.model,
        evidence=row.evidence,
        proposed_by=row.proposed_by,
        proposed_at=row.proposed_at,
        facts=tuple(measured["facts"]),
        effects=tuple(Effect(**effect) for effect in measured["effects"]),
        state=DefinitionState(row.state),
        decision=decision,
    )
