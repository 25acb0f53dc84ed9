"""Who sent a message, where nobody has written it down."""

from inspector.capture.import_.directions import Directions
from inspector.protocol.frames import Direction

OUT, BACK = Direction.TO_SERVER, Direction.FROM_SERVER


def test_methods_and_open_requests_tell() -> None:
    directions = Directions()
    found = [
        directions.of(b'{"jsonrpc":"2.0",' + rest + b"}")
        for rest in (
            b'"id":1,"method":"tools/call"',
            b'"id":2,"method":"sampling/createMessage"',
            b'"id":2,"result":{}',
            b'"method":"notifications/progress"',
            b'"method":"notifications/cancelled","params":{"requestId":1}',
            b'"id":1,"error":{"code":1,"message":""}',
            b'"id":"1","result":{}',
            b'"id":null,"error":{}',
        )
    ]
    assert found == [OUT, BACK, OUT, BACK, OUT, BACK, BACK, BACK]
    assert directions.of(b"banner") is BACK


def test_the_server_s_own_request_is_cancelled_by_itself() -> None:
    directions = Directions()
    directions.of(b'{"jsonrpc":"2.0","id":7,"method":"elicitation/create"}')
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
    assert directions.of(cancelled) is BACK
