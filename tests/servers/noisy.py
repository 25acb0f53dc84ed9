"""Responds correctly, but writes every other kind of line before each response. `once`: only before one."""

import json
import sys
from typing import Any

from tests.servers.speaking import HELLO, TOOL, say, serve

DEEP = b"[" * 10_000 + b"]" * 10_000
NOISE = (
    b"Welcome! Listening on stdio \xe2\x9c\xa8",
    b"",
    b"\r",
    b"   \t ",
    b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"notifications/with_a_mark"}',
    b"\xff\xfe not UTF-8 \x80\x81",
    b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"\xff\xfe"}}',
    b"\x00\x1b[2J\x07",
    b"{",
    b'{"jsonrpc":"2.0",}',
    b"null",
    b"true",
    b"12345678901234567890123456789012345678901234567890",
    b"-1e9999",
    b"NaN",
    b'"a text"',
    b"[]",
    b"{}",
    b"[[]]",
    b"[1,null,{}]",
    DEEP,
    b'{"jsonrpc":"2.0","method":"notifications/message","params":' + DEEP + b"}",
    b'{"jsonrpc":"2.0","id":' + DEEP + b',"result":{}}',
    b'{"jsonrpc":"2.0","id":987654321,"result":{"unknown":"id"}}',
    b'{"jsonrpc":"2.0","id":"1","result":{"a":"text, not a number"}}',
    b'{"jsonrpc":"2.0","id":1.0,"result":{}}',
    b'{"jsonrpc":"2.0","id":1e400,"result":{}}',
    b'{"jsonrpc":"2.0","id":true,"result":{}}',
    b'{"jsonrpc":"2.0","id":null,"result":{}}',
    b'{"jsonrpc":"2.0","id":{},"result":{}}',
    b'{"jsonrpc":"2.0","id":77,"result":{},"error":{"code":1,"message":"both"}}',
    b'{"jsonrpc":"2.0","id":78}',
    b'{"jsonrpc":"2.0","id":79,"error":"a text"}',
    b'{"jsonrpc":"2.0","id":80,"error":{"code":"one","message":2,"data":null}}',
    b'{"jsonrpc":"1.0","id":81,"result":{}}',
    b'{"jsonrpc":2.0,"method":"notifications/odd"}',
    b'{"jsonrpc":"2.0","method":7}',
    b'{"jsonrpc":"2.0","method":null,"id":5}',
    b'{"jsonrpc":"2.0","method":""}',
    b'{"jsonrpc":"2.0","method":"notifications/progress"}',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":[1,2]}',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{},"progress":"far"}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":"x"}',
    b'{"jsonrpc":"2.0","method":"notifications/message","params":7}',
    b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":null}',
    b'{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"\\ud800 alone"}}',
    b'{"jsonrpc":"2.0","method":"notifications/message","method":"notifications/twice","params":{}}',
    b'{"jsonrpc":"2.0","method":"notifications/message","params":{"n":' + b"9" * 5000 + b"}}",
    b'{"jsonrpc":"2.0","id":"ask","method":"sampling/createMessage","params":{"messages":"none"}}',
    b'{"jsonrpc":"2.0","id":"ask","method":"elicitation/create","params":null}',
    b'{"jsonrpc":"2.0","id":0,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":-5,"method":"no/such/method"}',
    b'[{"jsonrpc":"2.0","method":"notifications/in_a_batch"},5,{"jsonrpc":"2.0","id":99,"result":{}}]',
)
"""Lines, without their ends. None is the answer to a request of ours."""


def noisily(result: Any) -> Any:
    """A table's entry that writes all of it, then the answer, and the answer once more."""

    def handle(request: dict[str, Any]) -> None:
        for line in NOISE:
            say(line)
        whole = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()
        say(whole)
        say(whole)

    return handle


if __name__ == "__main__":
    called = {"content": [{"type": "text", "text": "done"}]}
    listed = noisily({"tools": [TOOL]})
    if "once" in sys.argv:
        serve({"tools/list": listed, "tools/call": called})
    else:
        serve({"initialize": noisily(HELLO), "tools/list": listed, "tools/call": noisily(called)})
