"""The control socket of a running tap: who may decide, what is held for how long, and in which order."""

import json
import os
import resource
import select
import signal
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.compare.operations import write_view
from inspector.capture.format.verify import verify
from inspector.capture.store.load import load
from inspector.features.tap import control, registry, relay
from inspector.features.tap.client import TapClient, TapGone, TapRefused, find
from inspector.features.tap.options import Options
from inspector.features.tap.recording import RecordingQueue
from inspector.features.tap.relay import Relay
from inspector.features.tap.summary import summary
from inspector.tui.screens.traffic.model import detail_of
from tests.cli.running import inspect
from tests.features.tap.tapping import TapProcess, is_alive, kill, tapped, until

PYTHON = sys.executable
SERVER = (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    asked = json.loads(line)\n"
    "    print(line.strip(), file=sys.stderr, flush=True)\n"
    "    if 'id' in asked and 'method' in asked:\n"
    "        result = {'tools': [{'name': 'a', 'inputSchema': {}}, {'name': 'b', 'inputSchema': {}}]}\n"
    "        if asked['method'] != 'tools/list': result = asked.get('params', {})\n"
    "        print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': result}), flush=True)\n"
)


@pytest.fixture(autouse=True)
def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "own"))


@pytest.fixture
def tap(tmp_path: Path) -> Iterator[TapProcess]:
    with tapped(tmp_path, PYTHON, "-c", SERVER, options=("--label", "made")) as tap:
        yield tap
        tap.stdin.close()
        tap.ends()


def _attached() -> TapClient:
    until(registry.live, "the tap is registered")
    return TapClient(registry.live()[0]["socket"])


def _controlling() -> TapClient:
    client = _attached()
    client.ask("control")
    return client


def _hold(client: TapClient, **more: Any) -> None:
    client.ask("set_rule", rule={"name": "hold", "action": "hold", "side": "request", "when": "tool == create"} | more)


def _held(client: TapClient, count: int = 1) -> list[dict[str, Any]]:
    until(lambda: len(client.ask("status")["held"]) == count, f"{count} messages are held")
    return list(client.ask("status")["held"])


def _call(tap: TapProcess, id_: int, **arguments: Any) -> None:
    tap.request(id_, "tools/call", name="create", arguments=arguments)


def test_a_tap_is_listed_while_it_lives(tap: TapProcess, tmp_path: Path) -> None:
    _attached().close()
    (entry,) = registry.live()
    assert (entry["label"], entry["argv"][0], entry["capture"]) == ("made", PYTHON, str(tap.capture))
    directory = tmp_path / "own/run/taps"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in directory.iterdir()} == {0o600}
    assert find("made") == entry
    tap.stdin.close()
    tap.ends()
    assert registry.live() == []
    assert list(directory.iterdir()) == []
    with pytest.raises(TapGone, match="no tap is running"):
        find()


def test_entry_of_a_killed_tap_is_removed(tmp_path: Path) -> None:
    with tapped(tmp_path, PYTHON, "-c", SERVER) as tap:
        _attached().close()
        kill(tap.child.pid)
        tap.ends()
        assert list((tmp_path / "own/run/taps").iterdir())
        assert registry.live() == []
        assert not list((tmp_path / "own/run/taps").iterdir())


def test_an_entry_of_a_reused_process_number_is_stale(tmp_path: Path) -> None:
    directory = tmp_path / "own/run/taps"
    directory.mkdir(parents=True)
    (directory / "1.json").write_text(json.dumps({"version": 1, "pid": os.getpid(), "started": "1"}))
    (directory / "2.json").write_text("garbage")
    assert registry.live() == []
    assert [each.name for each in directory.iterdir()] == ["2.json"]


@pytest.mark.parametrize(
    "garbage",
    [b"\n", b"hello\n", b"[]\n", b'{"hello":"mcp-inspect tap","version":99}\n', b"\xff" * 5000 + b"\n", b'{"half'],
)
def test_garbage_on_the_socket_ends_that_connection_only(tap: TapProcess, garbage: bytes) -> None:
    good = _attached()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as bad:
        bad.connect(registry.live()[0]["socket"])
        bad.sendall(garbage)
        if garbage.endswith(b"\n"):
            bad.settimeout(30)
            assert b'"ok": false' in bad.makefile("rb").read()
    assert good.ask("status")["held"] == []
    tap.request(1, "ping")
    assert tap.line(0)["id"] == 1
    with pytest.raises(TapRefused, match="control this tap first"):
        good.ask("explode")
    good.close()


def test_many_connections_are_no_harm(tap: TapProcess) -> None:
    _attached().close()
    path = registry.live()[0]["socket"]
    ends = []
    for _ in range(60):
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        end.setblocking(False)
        ends.append(end)
        end.connect_ex(path)
    tap.request(1, "ping")
    assert tap.line(0)["id"] == 1
    for end in ends:
        end.close()
    until(_can_attach, "there is room for another one again")


def _can_attach() -> bool:
    try:
        _attached().close()
    except TapGone:
        return False
    return True


def test_only_one_interface_controls(tap: TapProcess) -> None:
    first, second = _controlling(), _attached()
    with pytest.raises(TapRefused, match="another interface controls"):
        second.ask("control")
    with pytest.raises(TapRefused, match="control this tap first"):
        _hold(second)
    first.close()
    until(lambda: not _refused(second), "the other one may control now")
    second.close()


def _refused(client: TapClient) -> bool:
    try:
        client.ask("control")
    except TapRefused:
        return True
    return False


def test_a_held_call_waits_and_is_released(tap: TapProcess) -> None:
    client = _controlling()
    _hold(client)
    _call(tap, 1, repo="prod")
    (held,) = _held(client)
    assert (held["method"], held["target"], held["side"], held["rule"]) == ("tools/call", "create", "request", "hold")
    assert tap.stderr == b""
    client.ask("release", held=held["held"])
    assert tap.line(0)["result"]["arguments"] == {"repo": "prod"}
    with pytest.raises(TapRefused, match="not held any more"):
        client.ask("release", held=held["held"])
    client.close()


def _edited(tap: TapProcess) -> TapClient:
    client = _controlling()
    _hold(client)
    _call(tap, 1, repo="prod")
    (held,) = _held(client)
    client.ask("release", held=held["held"], payload=held["payload"].replace("prod", "sandbox"))
    assert tap.line(0)["result"]["arguments"] == {"repo": "sandbox"}
    return client


def test_a_held_call_is_edited_and_both_sides_are_recorded(tap: TapProcess, tmp_path: Path) -> None:
    client = _edited(tap)
    client.close()
    tap.stdin.close()
    tap.ends()
    records = tap.records()
    frame = next(each for each in records if each["r"] == "frame" and "prod" in each["raw"])
    edits = [each for each in records if each["r"] == "edit"]
    assert frame["fwd"] == "held"
    assert [(each["of"], each["act"], each["by"]) for each in edits] == [
        (frame["n"], "hold", "rule:hold"),
        (frame["n"], "modify", "user"),
    ]
    assert "sandbox" in edits[1]["raw"]
    verdict = verify(tap.capture)
    assert (verdict.state, verdict.edited) == ("complete", 1)
    journal = load(tap.capture)
    detail = detail_of(journal, frame["n"])
    journal.close()
    assert [(side.name, b"sandbox" in side.payload) for side in detail.sides] == [
        ("Client sent", False),
        ("Server saw", True),
    ]
    assert "tap: modify" in [fact.key for fact in detail.facts]


def test_both_views_of_an_edited_call_are_compared(tap: TapProcess) -> None:
    client = _edited(tap)
    _call(tap, 2, repo="prod")
    (held,) = _held(client)
    client.ask("drop", held=held["held"])
    until(lambda: b'"act":"drop"' in tap.capture.read_bytes(), "it is recorded")
    client.close()
    seen = {}
    for view in ("client", "server"):
        path = tap.capture.with_name(f"{view}.mcpcap")
        write_view(tap.capture, view, path)
        found = [json.loads(line) for line in path.read_bytes().splitlines()]
        seen[view] = [each["raw"].count("prod") for each in found if each.get("dir") == "c2s"]
    assert seen == {"client": [1, 1], "server": [0]}
    inspect("diff", "--edits", str(tap.capture)).exits(1).prints("sandbox", "client saw")


def test_a_held_call_is_answered_or_dropped(tap: TapProcess) -> None:
    client = _controlling()
    _hold(client)
    _call(tap, 1)
    _call(tap, 2)
    first, _ = _held(client, 2)
    client.ask("respond", held=first["held"], result={"content": [{"type": "text", "text": "made up"}]})
    assert tap.line(0) == {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "made up"}]}}
    (second,) = _held(client)
    client.ask("drop", held=second["held"])
    tap.request(3, "ping")
    assert tap.line(1)["id"] == 3
    assert b'"id": 1' not in tap.stderr
    assert b'"id": 2' not in tap.stderr
    client.close()
    tap.stdin.close()
    tap.ends()
    assert verify(tap.capture).state == "complete", "a message that the tap made is no evidence of the server"
    origins = [each.get("origin") for each in tap.records() if each["r"] == "frame" and "made up" in each["raw"]]
    assert origins == ["user"]


def test_an_interface_sends_a_request_that_the_client_does_not_see(tap: TapProcess) -> None:
    tap.request(1, "ping")
    assert tap.line(0)["id"] == 1
    client = _controlling()
    id_ = client.ask("send", method="tools/list", params={"_meta": {"progressToken": 7}})["request"]
    until(lambda: client.ask("response", request=id_)["response"], "the response arrives")
    result = json.loads(client.ask("response", request=id_)["response"])["result"]
    assert [tool["name"] for tool in result["tools"]] == ["a", "b"]
    tap.request(2, "ping")
    assert tap.line(1)["id"] == 2

    def found() -> list[dict[str, Any]]:
        return [each for each in tap.records() if each["r"] == "frame" and id_ in each["raw"]]

    until(lambda: len(found()) == 2, "both are recorded")
    recorded = found()
    assert [(each["origin"], each.get("fwd", "")) for each in recorded] == [("user", ""), ("server", "dropped")]
    assert json.loads(recorded[0]["raw"])["params"] == {"_meta": {"progressToken": id_}}
    with pytest.raises(TapRefused, match="a method"):
        client.ask("send", method="")
    with pytest.raises(TapRefused, match="not sent"):
        client.ask("response", request="x")
    client.close()


def test_messages_behind_a_held_one_keep_their_order_and_a_session_stays_alive(tap: TapProcess) -> None:
    client = _controlling()
    _hold(client)
    _call(tap, 1)
    tap.request(2, "tools/list")
    tap.request(3, "ping")
    (held,) = _held(client)
    assert tap.line(0)["id"] == 3, "a ping passes"
    client.ask("release", held=held["held"])
    assert [tap.line(1)["id"], tap.line(2)["id"]] == [1, 2]
    client.close()


def test_a_hold_may_stop_its_message_only(tap: TapProcess) -> None:
    client = _controlling()
    _hold(client, only_this=True)
    _call(tap, 1)
    tap.request(2, "tools/list")
    assert tap.line(0)["id"] == 2
    client.ask("release_all")
    assert tap.line(1)["id"] == 1
    client.close()


def test_a_client_that_cancels_a_held_call_gets_neither_forwarded(tap: TapProcess) -> None:
    client = _controlling()
    _hold(client)
    _call(tap, 1)
    _held(client)
    tap.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"user"}}')
    _held(client, 0)
    tap.request(2, "ping")
    assert tap.line(0)["id"] == 2
    assert b"cancelled" not in tap.stderr
    assert b"create" not in tap.stderr
    client.close()


def test_a_client_that_leaves_while_a_call_is_held_ends_the_session(tmp_path: Path) -> None:
    with tapped(tmp_path, PYTHON, "-c", SERVER) as tap:
        client = _controlling()
        _hold(client)
        _call(tap, 1)
        _held(client)
        tap.stdin.close()
        assert tap.ends() == 0
        assert b"create" not in tap.stderr
        edits = [(each["act"], each["by"]) for each in tap.records() if each["r"] == "edit"]
        assert edits == [("hold", "rule:hold"), ("drop", "client")]
        client.close()


@pytest.mark.parametrize("way", ["closed", "killed", "stopped"])
def test_an_interface_that_goes_away_lets_everything_go_in_order(tap: TapProcess, way: str) -> None:
    if way == "closed":
        client = _controlling()
        _hold(client)
        for id_ in (1, 2, 3):
            _call(tap, id_)
        _held(client, 3)
        client.close()
    else:
        _attached().close()
        code = (
            "import sys, time; from inspector.features.tap.client import TapClient\n"
            f"client = TapClient({registry.live()[0]['socket']!r}); client.ask('control')\n"
            "client.ask('set_rule', rule={'name': 'hold', 'action': 'hold', 'when': 'tool == create'})\n"
            "print('armed', flush=True)\n"
            "while True: client.ask('status'); time.sleep(0.2)\n"
        )
        import subprocess

        with subprocess.Popen([PYTHON, "-c", code], stdout=subprocess.PIPE) as interface:  # noqa: TID251
            assert interface.stdout is not None
            assert interface.stdout.readline() == b"armed\n"
            for id_ in (1, 2, 3):
                _call(tap, id_)
            watching = _attached()
            _held(watching, 3)
            watching.close()
            kill(interface.pid, signal.SIGKILL if way == "killed" else signal.SIGSTOP)
            assert [tap.line(each)["id"] for each in range(3)] == [1, 2, 3]
            interface.kill()
    assert [tap.line(each)["id"] for each in range(3)] == [1, 2, 3]
    watching = _attached()
    assert watching.ask("status")["rules"] == []
    watching.close()


def test_a_deadline_releases_before_the_client_gives_up(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("- name: slow\n  action: hold\n  side: request\n  when: tool == create\n")
    options = ("--rules", str(rules), "--host-timeout", "1")
    with tapped(tmp_path, PYTHON, "-c", SERVER, options=options) as tap:
        _call(tap, 1)
        assert tap.line(0)["id"] == 1
        tap.stdin.close()
        tap.ends()
        edits = [each for each in tap.records() if each["r"] == "edit"]
        assert [(each["act"], each["by"]) for each in edits] == [("hold", "rule:slow"), ("release", "deadline")]
        assert edits[0]["why"] == "until 0.8 s later"
        assert edits[1]["tm"] - edits[0]["tm"] >= 0.75e9


def test_rules_of_a_file_act_from_the_first_message(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "- name: hide\n  action: hide\n  names: [b]\n"
        "- name: broken\n  action: drop\n  when: tool ==\n"
        "- name: describe\n  action: override\n  names: [a]\n  merge: {description: As the client sees it}\n"
        "- name: banner\n  action: fault\n  fault: banner\n  side: response\n  hit: '2'\n"
        "- name: late\n  action: delay\n  delay: 20ms\n  when: method == ping\n"
    )
    with tapped(tmp_path, PYTHON, "-c", SERVER, options=("--rules", str(rules))) as tap:
        tap.request(1, "tools/list")
        assert tap.line(0)["result"]["tools"] == [
            {"name": "a", "inputSchema": {}, "description": "As the client sees it"}
        ]
        client = _attached()
        (problem,) = client.ask("status")["problems"]
        assert problem.startswith(f"{rules}:6: `when`, column 8: ")
        client.close()
        tap.request(2, "ping")
        tap.read(lambda: tap.stdout.count(b"\n") == 3, "a banner and a response arrive")
        assert not tap.stdout.split(b"\n")[1].startswith(b"{")
        tap.stdin.close()
        tap.ends()
        assert verify(tap.capture).state == "complete"
        off = [each["why"] for each in tap.records() if each["r"] == "rule" and not each["on"]]
        assert len(off) == 1
        assert ":6:" in off[0]


def test_list_changed_is_sent_when_a_rule_changes_lists(tap: TapProcess) -> None:
    tap.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    client = _controlling()
    client.ask("set_rule", rule={"name": "hide", "action": "hide", "names": ["b"]})
    assert [tap.line(each)["method"] for each in range(3)] == [
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
    ]
    tap.request(1, "tools/list")
    assert [tool["name"] for tool in tap.line(3)["result"]["tools"]] == ["a"]
    client.ask("enable_rule", name="hide", enabled=False)
    tap.line(6)
    tap.request(2, "tools/list")
    assert [tool["name"] for tool in tap.line(7)["result"]["tools"]] == ["a", "b"]
    client.close()


def test_lists_that_a_rule_changes_are_announced_though_nothing_was_armed_before(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("[]\n")
    with tapped(tmp_path, PYTHON, "-c", SERVER, options=("--rules", str(rules))) as tap:
        tap.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        tap.request(1, "ping")
        assert tap.line(0)["id"] == 1
        client = _controlling()
        client.ask("set_rule", rule={"name": "hide", "action": "hide", "names": ["b"]})
        assert tap.line(1)["method"] == "notifications/tools/list_changed"
        client.close()


def test_partial_and_binary_output_is_not_stopped_by_a_rule(tap: TapProcess) -> None:
    client = _controlling()
    _hold(client)
    tap.stdin.write(b'{"jsonrpc":"2.0","id":1,')
    tap.stdin.flush()
    until(lambda: any(each["r"] == "rule" for each in tap.records()), "the rule is recorded")
    tap.stdin.write(b'"method":"ping"}\n')
    tap.stdin.flush()
    assert tap.line(0)["id"] == 1
    client.close()


_READS = "import sys; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(b'%d %s' % (len(data), data[-9:]))"
_WRITES = 'import os; os.write(1, b\'{"jsonrpc":"2.0","method":"x"}\\nunfinished\')'
_REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"x"}\n'


@pytest.mark.parametrize(
    ("rule", "code", "sent", "last"),
    [
        pytest.param("action: hold, when: tool == no", _READS, b"{}\nunfinished", b"13 nfinished", id="nothing waits"),
        pytest.param("action: delay, delay: 50ms", _READS, _REQUEST + b"unfinished", b"48 nfinished", id="a request"),
        pytest.param("action: hold, side: notification", _WRITES, b"", b"\nunfinished", id="a notification"),
        pytest.param(
            "action: hold, when: method == x",
            _READS,
            _REQUEST + b"y" * (relay.LONGEST + relay.READ) + b"\nunfinished",
            b" nfinished",
            id="a line that is not judged",
        ),
    ],
)
def test_an_unfinished_line_follows_what_waits_before_it(
    tmp_path: Path, rule: str, code: str, sent: bytes, last: bytes
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(f"- {{name: one, {rule}}}\n")
    options = ("--rules", str(rules), "--host-timeout", "0.5")
    with tapped(tmp_path, PYTHON, "-c", code, options=options) as tap:
        tap.stdin.write(sent)
        tap.stdin.flush()
        if len(sent) > relay.LONGEST:
            tap.read(lambda: any(each.get("act") == "release" for each in tap.records()), "the request is released")
        tap.stdin.close()
        assert tap.ends() == 0
        assert tap.stdout.endswith(last)


def test_a_response_of_a_rule_waits_for_the_end_of_a_line_that_has_begun(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("- {name: one, action: answer, when: method == x, result: {}}\n")
    code = (
        "import os, sys; os.write(1, b'begun'); sys.stdin.readline(); os.write(1, b' and ended\\n'); sys.stdin.read()"
    )
    with tapped(tmp_path, PYTHON, "-c", code, options=("--rules", str(rules))) as tap:
        tap.read(lambda: tap.stdout == b"begun", "the unfinished line arrives")
        tap.request(1, "x")
        tap.send(b'{"jsonrpc":"2.0","method":"go on"}')
        tap.read(lambda: tap.stdout.count(b"\n") == 2, "both lines arrive")
        assert tap.stdout.startswith(b"begun and ended\n{")
        tap.stdin.close()
        assert tap.ends() == 0


@pytest.mark.parametrize("end", ["server exits", "tap is killed"])
def test_an_end_while_a_message_is_held_leaves_nothing(tmp_path: Path, end: str) -> None:
    with tapped(
        tmp_path, PYTHON, "-c", "import os; print(os.getpid(), flush=True)\n" + SERVER, start_new_session=True
    ) as tap:
        client = _controlling()
        _hold(client)
        tap.read(lambda: b"\n" in tap.stdout, "the server says who it is")
        pid = int(tap.stdout)
        _call(tap, 1)
        _held(client)
        kill(pid if end == "server exits" else tap.child.pid)
        assert tap.ends() == -signal.SIGKILL
        until(lambda: not is_alive(pid), "the server is gone")
        client.close()


# Every end, with nothing attached, with an interface attached, and with a message held

_ANNOUNCED = "import os; print(os.getpid(), flush=True)\n"
_EXITS = "import os, signal; signal.signal(signal.SIGINT, lambda *_: os._exit(9))\n"
_IGNORES = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
_SERVER_EXITS = SERVER.replace("asked =", "'exit' not in line or os._exit(7); asked =")
ENDS: dict[str, tuple[str, str, Any, int]] = {
    "the client closes stdin": ("", SERVER, lambda tap, pid: tap.stdin.close(), 0),
    "the server exits": ("", _SERVER_EXITS, "exit", 7),
    "the server crashes": ("", SERVER, lambda tap, pid: kill(pid, signal.SIGSEGV), -signal.SIGSEGV),
    "TERM": ("", SERVER, lambda tap, pid: tap.child.terminate(), -signal.SIGTERM),
    "INT to a server that exits": (_EXITS, SERVER, lambda tap, pid: kill(tap.child.pid, signal.SIGINT), 9),
    "KILL": ("", SERVER, lambda tap, pid: kill(tap.child.pid), -signal.SIGKILL),
    "KILL and a server that ignores it": (
        _IGNORES,
        SERVER + "time.sleep(600)\n",
        lambda tap, pid: kill(tap.child.pid),
        -signal.SIGKILL,
    ),
}


@pytest.mark.parametrize("state", ["plain", "attached", "held"])
@pytest.mark.parametrize("end", ENDS)
def test_each_end_is_that_of_the_server_whatever_the_tap_is_at(tmp_path: Path, end: str, state: str) -> None:
    before, code, act, status = ENDS[end]
    with tapped(tmp_path, PYTHON, "-c", before + _ANNOUNCED + code, start_new_session=True) as tap:
        tap.read(lambda: b"\n" in tap.stdout, "the server says who it is")
        pid = int(tap.stdout)
        client = None
        if state != "plain":
            client = _controlling()
        if client is not None and state == "held":
            _hold(client)
            _call(tap, 1)
            _held(client)
        if act == "exit":
            tap.send(b'{"jsonrpc":"2.0","method":"exit"}')
            if client is not None and state == "held":
                client.ask("release_all")
        else:
            act(tap, pid)
        assert tap.ends() == status
        until(lambda: not is_alive(pid), "the server is gone")
        if client is not None:
            client.close()


def test_an_interface_that_detaches_ends_nothing(tap: TapProcess) -> None:
    client = _controlling()
    _hold(client)
    _call(tap, 1, repo="a")
    _held(client)
    client.ask("detach")
    client.close()
    assert tap.line(0)["result"]["arguments"] == {"repo": "a"}
    _call(tap, 2, repo="b")
    assert tap.line(1)["result"]["arguments"] == {"repo": "b"}


def test_a_user_who_is_not_the_taps_gets_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    assert control.peer_uid(ours) == os.getuid()
    monkeypatch.setattr(control, "peer_uid", lambda end: os.getuid() + 1)
    relay = Relay(Options(["--", "x"]), 0, {}, RecordingQueue())
    socket_of = control.control_of(relay)
    socket_of.start()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stranger:
        stranger.connect(registry.live()[0]["socket"])
        stranger.sendall(b'{"hello":"mcp-inspect tap","version":1}\n')
        until(lambda: relay.step(0) is None and bool(select.select([stranger], [], [], 0)[0]), "there is an answer")
        with suppress(ConnectionResetError):
            assert stranger.recv(100) == b""
    socket_of.close()
    for each in relay.at_end:
        each()
    relay.close()
    ours.close()
    theirs.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become another user")
def test_another_user_cannot_reach_the_socket(tap: TapProcess) -> None:
    _attached().close()
    path = registry.live()[0]["socket"]
    child = os.fork()
    if not child:
        try:
            os.setuid(65534)
            socket.socket(socket.AF_UNIX).connect(path)
        except PermissionError:
            os._exit(3)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3


def test_a_disk_that_is_full_does_not_stop_the_traffic(tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    code = "import sys\nfor line in sys.stdin.buffer:\n    sys.stdout.buffer.write(line); sys.stdout.buffer.flush()\n"
    with tapped(tmp_path, PYTHON, "-c", code, preexec_fn=limit) as tap:
        for number in range(200):
            tap.send(b'{"jsonrpc":"2.0","method":"n%d","params":{"pad":"%b"}}' % (number, b"x" * 500))
            tap.line(number)
        until(registry.live, "the tap is registered")
        until(lambda: "File too large" in summary(registry.live()[0])["trouble"], "tap list says it")
        tap.stdin.close()
        assert tap.ends() == 8
        assert tap.stdout.count(b"\n") == 200
        assert tap.stderr.startswith(b"mcp-tap: The capture is not complete: File too large")
        assert tap.capture.stat().st_size <= 20_000
