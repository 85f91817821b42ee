"""Alerts on their way: each is sent by one gateway, tried again where that may help, and recorded
with what became of it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import timedelta

from gateway.boards.ports import AlertLog, AlertSender, AlertStore, Sending
from gateway.domain.board import DeliveryState
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, AssayError

MOST = 20
"""In one step; they are sent at once."""

PAUSES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30))
"""Between tries; whoever does not take an alert after the last is told no more of it."""

log = logging.getLogger("assay.gateway")


class Alerting:
    """Sends what boards have to tell, of all tenants."""

    def __init__(
        self, store: AlertStore, sender: AlertSender, record: AlertLog, clock: Clock
    ) -> None:
        self._store = store
        self._sender = sender
        self._record = record
        self._clock = clock

    async def step(self) -> None:
        """Send what is to be sent now, and record what became of it.

        A gateway that dies between may have sent an alert that the next sends again; it has the
        same id.
        """
        found = await self._store.to_send(self._clock.now(), MOST)
        await asyncio.gather(*(self._seen_to(one) for one in found))

    async def _seen_to(self, one: Sending) -> None:
        with calls.changed(tenant=one.board.tenant, request_id=one.delivery.delivery_id):
            try:
                if one.delivery.state is DeliveryState.PENDING:
                    tried = await self._try(one)
                    if tried is None or tried.delivery.state is DeliveryState.PENDING:
                        return
                    one = tried
                await self._record.record(one)
                await self._store.delivered(one.delivery, self._clock.now(), recorded=True)
            except AssayError as error:
                log.warning("alert %s is seen to again: %s", one.alert.alert_id, error)
            except Exception:
                log.exception("alert %s cannot be seen to", one.alert.alert_id)

    async def _try(self, one: Sending) -> Sending | None:
        """What became of a try; None where another gateway makes it."""
        attempts = one.delivery.attempts + 1
        last = attempts > len(PAUSES)
        again_at = self._clock.now() + PAUSES[min(attempts, len(PAUSES)) - 1]
        if not await self._store.claim_delivery(one.delivery, again_at):
            return None
        delivery = replace(one.delivery, attempts=attempts, state=DeliveryState.SENT, why="")
        try:
            await self._sender.send(one)
        except AssayError as error:
            final = last or error.reason is INVALID_ARGUMENT
            state = DeliveryState.FAILED if final else DeliveryState.PENDING
            delivery = replace(delivery, state=state, why=error.message)
        pending = delivery.state is DeliveryState.PENDING
        await self._store.delivered(delivery, again_at if pending else self._clock.now())
        return replace(one, delivery=delivery)
