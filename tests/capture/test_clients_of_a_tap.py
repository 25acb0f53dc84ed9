"""Several clients in one capture: they use the same ids, and each response belongs to its own client's request."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.journal import start_capture
from inspector.protocol.facts import HttpEvent, HttpFact, SseNote
from inspector.protocol.frames import Channel, Direction
from tests.capture.recording import ticking
from tests.capture.store.test_history import compare, loaded, recalled
from tests.cli.running import inspect

_CASES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("clients_of_a_tap.toml").read_text())


def _recorded(path: Path, entries: str) -> None:
    journal = start_capture(path, mode="http-proxy", clock=ticking(10**9), wall=lambda: 10**18)
    gets = set[int]()
    for line in entries.splitlines():
        number, what, rest = re.fullmatch(r"(\d+) (\S+) ?(.*)", line).groups()  # type: ignore[union-attr]
        http, headers = int(number), tuple(("Mcp-Session-Id", id_) for id_ in rest.split()[-1:])
        if what in ("POST", "GET"):
            gets |= {http} if what == "GET" else set()
            url, client = f"http://x/mcp{'?session_id=' + headers[0][1] if len(rest) > 2 else ''}", int(rest[0])
            headers = headers if len(rest) > 2 else ()
            journal.fact(HttpFact(HttpEvent.REQUEST, http, what, url, headers=headers, connection=client))
        elif what in "<>":
            direction = Direction.TO_SERVER if what == ">" else Direction.FROM_SERVER
            channel = Channel.POST if what == ">" else Channel.GET if http in gets else Channel.SSE
            journal.frame(direction, channel, json.dumps(_message(rest)).encode(), http=http)
        elif what == "endpoint":
            journal.fact(SseNote(http, f"event: endpoint\ndata: {rest}".encode(), "endpoint"))
        elif what in ".!":
            journal.fact(HttpFact(HttpEvent.END if what == "." else HttpEvent.ERROR, http, why=rest))
        else:
            kind = (("Content-Type", "text/event-stream"),) if what == "200" else ()
            journal.fact(HttpFact(HttpEvent.RESPONSE, http, status=int(what), headers=headers + kind))
    journal.close()


def _message(text: str) -> Any:
    if text.startswith("{"):
        return json.loads(text)
    method, id_, target = [*text.split(), "", ""][:3] if not text.isdecimal() else ("", text, "")
    params = {"_meta": {"progressToken": int(id_)}} | ({"name": target} if target else {})
    said = {"method": method, "params": params} if method else {"result": {}}
    return {"jsonrpc": "2.0", "id": int(id_)} | said


@pytest.mark.parametrize("name", _CASES)
def test_each_response_belongs_to_the_request_of_its_own_client(name: str, tmp_path: Path) -> None:
    path = tmp_path / "tap.mcpcap"
    _recorded(path, _CASES[name]["entries"])
    rows = [json.loads(line) for line in inspect("tail", "--jsonl", str(path), "kind == request").stdout.splitlines()]
    fates = [f"{row.get('target') or row['method']} {row['status']} {row.get('duration_ms', 0):.0f}" for row in rows]
    assert fates == _CASES[name]["requests"]
    groups = inspect("stats", "--json", str(path)).data["groups"]
    assert sum(each["lost"] for each in groups) == sum(" lost " in fate for fate in fates)
    whole = loaded(path, 3)
    compare(whole, range(1, whole.journal.count + 1))
    compare(recalled(path, whole), range(1, whole.journal.count + 1))
