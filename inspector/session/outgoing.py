"""A step on its way: the bytes of a request as its revision wants them, and what became of it where no answer came."""

from inspector.protocol import jsonrpc
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Refused, Send
from inspector.protocol.headers import headers_for
from inspector.protocol.jsonrpc import RequestId
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.stamp import ClientIdentity, stamped
from inspector.session.log_level import LogWish
from inspector.transports.base import Delivery, Expects, Outgoing


def outgoing(step: Send, id_: RequestId, settled: Revision | None, client: ClientIdentity, logs: LogWish) -> Outgoing:
    """The bytes of a request, stamped and with headers as its revision wants them; `settled` is the session's."""
    opens = step.method == "initialize"
    revision = None if opens else step.revision or settled
    token = id_ if step.progress else None
    params = stamped(revision, step.params, client, progress_token=token, log_level=logs.level)
    return Outgoing(
        jsonrpc.write_request(id_, step.method, params),
        Expects.ANSWER,
        headers={} if revision is None else headers_for(revision, step.method, params, step.input_schema),
        opens_session=opens,
        probe=step.probe,
    )


def refused(exchange: Exchange | None, delivery: Delivery, why: str) -> Refused:
    """What came of a request whose carriage is done, and brought no answer."""
    return Refused(
        exchange,
        delivery.status,
        delivery.content_type,
        delivery.body,
        headers=delivery.headers,
        why=why,
        begun=delivery.begun,
    )
