"""`mcp-inspect tap` and `attach`."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inspector.features.tap import registry
from tests.cli.running import inspect
from tests.features.export.test_otlp import collector, spans_in
from tests.features.tap.tapping import tapped, until

SERVER = (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    asked = json.loads(line)\n"
    "    if 'id' not in asked or asked['method'] == 'silence': continue\n"
    "    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': {}}), flush=True)\n"
)


@pytest.fixture(autouse=True)
def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "own"))


def test_a_tap_is_started_listed_and_followed(tmp_path: Path) -> None:
    launcher = (sys.executable, "-m", "inspector", "tap")
    with tapped(tmp_path, sys.executable, "-c", SERVER, launcher=launcher, options=("--label", "made")) as tap:
        tap.request(1, "ping")
        assert tap.line(0)["id"] == 1
        until(registry.live, "the tap is registered")
        until(lambda: b'"s2c"' in tap.capture.read_bytes(), "the response is recorded")
        (entry,) = json.loads(inspect("tap", "list", "--json").stdout)["taps"]
        assert (entry["label"], entry["messages"], entry["errors"], entry["held"]) == ("made", 2, 0, 0)
        assert "made" in inspect("tap", "list").stdout
        found = inspect("attach", "made", "--until", "kind == response and method == ping", "--json")
        assert (found.status, json.loads(found.stdout)["method"]) == (0, "ping")
        tap.stdin.close()
        assert tap.ends() == 0
    assert "no live tap is called 'made'" in inspect("attach", "made").stderr
    assert json.loads(inspect("tap", "list", "--json").stdout) == {"taps": []}


CLIENT = """#!{python}
import json, subprocess, sys
servers = json.load(open(sys.argv[sys.argv.index("--mcp-config") + 1]))["mcpServers"]
for entry in servers.values():
    environment = {{"PATH": "/usr/bin:/bin", "HOME": "/nowhere"}}
    asked = b'{{"jsonrpc":"2.0","id":1,"method":"ping"}}\\n'
    argv = [entry["command"], *entry["args"]]
    print(subprocess.run(argv, input=asked, stdout=subprocess.PIPE, env=environment).stdout.decode())
sys.exit(3)
"""


def test_the_servers_of_a_client_that_passes_few_variables_are_recorded_where_all_are(tmp_path: Path) -> None:
    client, home = tmp_path / "claude", tmp_path / "user"
    client.write_text(CLIENT.format(python=sys.executable))
    client.chmod(0o700)
    home.mkdir()
    entry = {"command": sys.executable, "args": ["-c", SERVER]}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"made": entry}}))
    ran = inspect("tap", "run", "--", str(client), env={"HOME": str(home)})
    assert (ran.status, "Tapped: made" in ran.stderr) == (3, True)
    (capture,) = (tmp_path / "own" / "state" / "captures").iterdir()
    assert capture.read_bytes().count(b'"r":"frame"') == 2


def test_a_rules_file_is_checked(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("- name: good\n  action: hold\n- name: bad\n  action: hold\n  when: tool ==\n")
    inspect("tap", "rules", str(rules)).exits(1, f"{rules}:5: bad: `when`, column 8").prints("good: hold")


def test_a_request_is_sent_into_a_running_session(tmp_path: Path) -> None:
    with tapped(tmp_path, sys.executable, "-c", SERVER, options=("--label", "made")) as tap:
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "progressToken": 1}
        tap.request(1, "ping", _meta=meta)
        tap.line(0)
        until(registry.live, "the tap is registered")
        until(lambda: b'"s2c"' in tap.capture.read_bytes(), "the response is recorded")
        sent = inspect("attach", "made", "--send", "tools/call", "--params", '{"name": "x"}', "--json")
        assert json.loads(sent.stdout)["id"].startswith("mcpi:")
        until(lambda: tap.capture.read_bytes().count(b"mcpi:") == 2, "it is recorded")
        asked = next(json.loads(each["raw"]) for each in tap.records() if "mcpi:" in each.get("raw", ""))
        assert asked["params"] == {"name": "x", "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
        late = inspect("attach", "made", "--send", "silence", "--timeout", "0.1")
        assert "No response to silence" in late.stderr
        assert "--send and --until" in inspect("attach", "made", "--send", "x", "--until", "y").stderr
        tap.stdin.close()
        tap.ends()


def test_the_spans_of_a_tap_are_sent_to_a_collector(tmp_path: Path) -> None:
    with collector() as (url, came), tapped(tmp_path, sys.executable, "-c", SERVER, options=("--label", "made")) as tap:
        tap.request(1, "ping")
        until(registry.live, "the tap is registered")
        until(lambda: b'"s2c"' in tap.capture.read_bytes(), "the response is recorded")
        assert inspect("attach", "made", "--otlp", url, "--until", "kind == response").status == 0
        assert "ping" in {span.name for _, _, body in came for span in spans_in(body)}, "also from before"
        came.clear()
        with ThreadPoolExecutor(1) as pool:
            ran = pool.submit(inspect, "attach", "made", "--otlp", url)
            until(lambda: came, "the first spans are sent")
            tap.request(2, "tools/list")
            until(lambda: any("tools/list" in str(body) for _, _, body in came), "a span is sent while it runs")
            tap.stdin.close()
            tap.ends()
            assert (ran.result().status, "the recording has ended" in ran.result().stderr) == (0, True)
        assert "mcp session" in {span.name for _, _, body in came for span in spans_in(body)}
    assert "not an HTTP URL" in inspect("attach", "made", "--otlp", "localhost:4318").stderr
    assert "--send and --otlp" in inspect("attach", "made", "--otlp", url, "--send", "x").stderr


def test_the_rules_of_a_tap_are_written_as_a_rules_file(tmp_path: Path) -> None:
    text = "- {name: short, action: override, names: [x], merge: {description: Short.}}\n"
    rules = tmp_path / "rules.yaml"
    rules.write_text(text)
    with tapped(tmp_path, sys.executable, "-c", SERVER, options=("--label", "made", "--rules", str(rules))) as tap:
        until(registry.live, "the tap is registered")
        written = inspect("tap", "rules", "--of", "made").stdout
        tap.stdin.close()
        tap.ends()
    rules.write_text(written)
    told = inspect("tap", "rules", str(rules), "--json")
    (rule,) = json.loads(told.stdout)["rules"]
    assert rule == {"name": "short", "action": "override", "names": ["x"], "merge": {"description": "Short."}}
    assert "name a rules file" in inspect("tap", "rules").stderr


def test_a_tap_needs_a_server_and_sensible_options() -> None:
    assert "no server named" in inspect("tap").stderr
    assert "--host-timeout" in inspect("tap", "--host-timeout", "soon", "--", "x").stderr
    missing = inspect("tap", "--rules", "missing.yaml", "--", "x", terminal=True)
    assert "missing.yaml can't be read" in missing.stderr
