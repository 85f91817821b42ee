"""Transactions of the gateway, each with a name at which tests crash it before and after."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.orm import Session as Transaction

from mesh.processes.failpoint import failpoint
from mesh.storage.database import Database

T = TypeVar("T")


async def committed(database: Database, name: str, work: Callable[[Transaction], T]) -> T:
    """What `work` returns, after its transaction was committed.

    Failpoints: "gateway: NAME, uncommitted" and "gateway: NAME, committed". Raises what
    `Database.in_transaction` raises.
    """

    def written(transaction: Transaction) -> T:
        result = work(transaction)
        transaction.flush()
        failpoint(f"gateway: {name}, uncommitted")
        return result

    result = await database.in_transaction(written)
    failpoint(f"gateway: {name}, committed")
    return result
