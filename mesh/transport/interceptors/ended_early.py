"""The status of a server that ends a call while its requests are still being sent.

A request on its way fails then, and grpc.aio sets INTERNAL, "Internal error from Core", in place of
the status that the server sent, before or after that one came
(https://github.com/grpc/grpc/issues/36066). What came before is found here; of the rest
`mesh.transport.status` tells that the call broke off.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import grpc
from grpc import aio

_OVERWRITTEN = "Internal error from Core"


async def status_sent(call: Any) -> grpc.StatusCode:
    """The code of a call with a stream of requests and one answer, once it has ended.

    Raises grpc.aio.AioRpcError with the server's own status where gRPC has overwritten it.
    """
    values: list[aio.AioRpcError] = []
    call.add_done_callback(lambda ended: values.append(_as_it_stands(ended)))
    try:
        await call
    except aio.AioRpcError as error:
        sent = [one for one in values if not _is_overwritten(one)]
        if _is_overwritten(error) and sent:
            raise sent[0] from error
        return error.code()
    return grpc.StatusCode.OK


def _is_overwritten(error: aio.AioRpcError) -> bool:
    return error.code() is grpc.StatusCode.INTERNAL and error.details() == _OVERWRITTEN


def _as_it_stands(call: Any) -> aio.AioRpcError:
    """The status of an ended call at this moment: a task that asked for it would come too late."""
    return aio.AioRpcError(
        _at_once(call.code()),
        aio.Metadata(),
        _at_once(call.trailing_metadata()),
        details=_at_once(call.details()),
    )


def _at_once(asked: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine gives that has nothing to wait for."""
    try:
        asked.send(None)
    except StopIteration as ended:
        return ended.value
    asked.close()
    raise RuntimeError("a call that ended has no status")
