"""Rules of a tap: files, the messages that match, and what becomes of them."""

import json
from typing import Any

import pytest

from inspector.features.tap.held import HeldList, HoldOutcome
from inspector.features.tap.judging import Judge, PatchFailed, Ruling, apply_merge, apply_patch
from inspector.features.tap.rules import BadRule, armed, read_rules
from inspector.filters.engine.message import MessageView
from inspector.protocol.frames import Direction

C2S, S2C = Direction.TO_SERVER, Direction.FROM_SERVER


def _call(id_: int = 1, tool: str = "create", **arguments: Any) -> bytes:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}).encode()


def _judge(*rules: dict[str, Any]) -> Judge:
    judge = Judge()
    judge.rules = [armed({"name": f"r{number}"} | rule) for number, rule in enumerate(rules)]
    return judge


def _tools(*names: str) -> bytes:
    tools = [{"name": name, "description": "old", "inputSchema": {}} for name in names]
    return json.dumps({"jsonrpc": "2.0", "id": 5, "result": {"tools": tools}}).encode()


def _list(judge: Judge, *names: str) -> Any:
    judge.judge(C2S, b'{"jsonrpc":"2.0","id":5,"method":"tools/list"}')
    payload = judge.judge(S2C, _tools(*names)).payload
    return json.loads(payload or b"null")["result"]["tools"]


def test_an_invalid_rule_is_named_with_its_line_and_the_others_stay() -> None:
    text = (
        "- name: good\n  action: hold\n  when: tool == create\n"
        "- name: bad filter\n  action: hold\n  when: tool ==\n"
        "- name: bad field\n  action: drop\n  delay: 2s\n"
        "- name: good\n  action: drop\n"
        "- name: late\n  action: log\n  when: age > 2s\n"
        "- name: odd\n  action: explode\n"
    )
    rules, problems = read_rules(text)
    assert [each.rule.name for each in rules] == ["good"]
    assert [(each.line, each.name) for each in problems] == [
        (6, "bad filter"),
        (9, "bad field"),
        (10, "good"),
        (14, "late"),
        (16, "odd"),
    ]
    assert "already" in problems[2].why
    assert "not known yet" in problems[3].why


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ({"action": "drop"}, "`name` is missing"),
        ({"name": "x", "action": "nuke"}, "`action` is one of answer, delay, drop"),
        ({"name": "x", "action": "fault", "fault": "slow"}, "`fault` is one of banner, cut"),
        ({"name": "x", "action": "hold", "wen": "y"}, "unknown field `wen`; did you mean `when`?"),
        ({"name": "x", "action": "hold", "once": "y"}, "`once`: expected `bool`, got `str`"),
        ({"name": "x", "action": "hold", "hit": 0}, "`hit` is 3, "),
        (
            {"name": "x", "action": "edit", "patch": [{"op": "remove", "path": "params"}]},
            "'params' is not a JSON Pointer",
        ),
        (5, "a rule is a mapping"),
    ],
)
def test_bad_rule_reports_the_allowed_values(item: Any, why: str) -> None:
    with pytest.raises(BadRule) as raised:
        armed(item)
    assert str(raised.value).startswith(why)


@pytest.mark.parametrize("text", ["a: [", "just text", "name: x", "- &a [*a]", "\t"])
def test_a_file_that_is_no_list_of_rules_is_one_problem(text: str) -> None:
    rules, problems = read_rules(text)
    assert rules == []
    assert len(problems) <= 1


@pytest.mark.parametrize(
    ("rule", "payload", "wanted"),
    [
        ({"when": "tool == create"}, _call(), True),
        ({"when": "tool == other"}, _call(), False),
        ({"when": 'args.path ~ "^/etc"'}, _call(path="/etc/passwd"), True),
        ({"when": "kind == request and not dir == s2c"}, _call(), True),
        ({"when": "size > 10k"}, _call(), False),
        ({"when": "passwd"}, _call(path="/etc/PASSWD"), True),
        ({"side": "response"}, _call(), False),
        ({"side": "notification"}, b'{"jsonrpc":"2.0","method":"x"}', True),
        ({"when": "not raw.valid"}, b"banner", True),
        ({"when": "params.arguments.n == 2"}, _call(n=2), True),
        ({"when": 'id == "1"'}, _call(), False),
    ],
)
def test_rule_applies_where_its_filter_matches(rule: dict[str, Any], payload: bytes, wanted: bool) -> None:
    assert armed({"name": "x", "action": "hold"} | rule).wants(MessageView(C2S, payload)) is wanted


@pytest.mark.parametrize(
    "payload",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cre\\u0061te"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools\\/call","params":{"name":"create"}}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create","x":"\xff"}}',
        b'[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create"}}]',
        _call(pad="x" * 10_000),
    ],
)
@pytest.mark.parametrize(
    ("when", "wanted"),
    [
        ("tool == create", True),
        ("tool in {other, create} and method == tools/call", True),
        ("(tool == other or tool == create) and not tool == other", True),
        ("tool == other", False),
        ("tool == create and tool == other", False),
        ("not tool == other and kind == request", True),
        ("tool == other or kind == request", True),
    ],
)
def test_a_name_is_found_however_it_is_written(payload: bytes, when: str, wanted: bool) -> None:
    judge = _judge({"action": "drop", "when": when})
    assert judge.judge(C2S, payload).is_plain is not wanted


def test_a_response_is_known_by_its_request() -> None:
    judge = _judge(
        {"action": "log", "side": "response", "when": "tool == create and req.args.n == 2 and status == tool-error"}
    )
    judge.judge(C2S, _call(7, n=2))
    ruling = judge.judge(S2C, b'{"jsonrpc":"2.0","id":7,"result":{"isError":true}}')
    assert [note.act for note in ruling.notes] == ["log"]


@pytest.mark.parametrize(
    ("hit", "fires"), [("", "11111"), (3, "00100"), ("3", "00100"), (">=3", "00111"), ("every 2", "01010")]
)
def test_hits_are_counted(hit: int | str, fires: str) -> None:
    rule = armed({"name": "x", "action": "hold", "hit": hit})
    assert "".join("1" if rule.wants(MessageView(C2S, _call())) else "0" for _ in range(5)) == fires


def test_a_rule_that_is_for_once_switches_itself_off() -> None:
    judge = _judge({"action": "drop", "once": True})
    assert judge.judge(C2S, _call()).payload is None
    assert judge.judge(C2S, _call()).is_plain
    assert not judge.armed


def test_a_request_is_edited() -> None:
    judge = _judge(
        {
            "action": "edit",
            "when": "tool == create",
            "patch": [{"op": "replace", "path": "/params/arguments/repo", "value": "sandbox"}],
        },
        {"action": "edit", "merge": {"params": {"arguments": {"draft": True, "secret": None}}}},
    )
    payload = judge.judge(C2S, _call(repo="prod", secret=1)).payload
    assert json.loads(payload or b"")["params"]["arguments"] == {"repo": "sandbox", "draft": True}


def test_a_patch_that_does_not_fit_leaves_the_message_alone() -> None:
    judge = _judge({"action": "edit", "patch": [{"op": "remove", "path": "/params/none"}]})
    ruling = judge.judge(C2S, _call())
    assert ruling.payload == _call()
    assert "not there" in ruling.notes[0].why


def test_a_request_is_answered_in_place() -> None:
    ruling = _judge({"action": "answer", "result": {"content": []}}).judge(C2S, _call(9))
    assert ruling.payload is None
    assert json.loads(ruling.reply or b"") == {"jsonrpc": "2.0", "id": 9, "result": {"content": []}}


def test_lists_are_hidden_and_overridden() -> None:
    judge = _judge(
        {"action": "hide", "names": ["secret_*"]},
        {"action": "override", "names": ["b"], "merge": {"description": "new"}},
    )
    assert [(tool["name"], tool["description"]) for tool in _list(judge, "a", "secret_x", "b")] == [
        ("a", "old"),
        ("b", "new"),
    ]


def test_lists_that_are_not_concerned_keep_their_bytes() -> None:
    judge = _judge({"action": "hide", "names": ["x"]})
    judge.judge(C2S, b'{"jsonrpc":"2.0","id":5,"method":"tools/list"}')
    assert judge.judge(S2C, _tools("a")).is_plain


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("error", lambda ruling: b'"error"' in ruling.reply and ruling.payload is None),
        ("cut", lambda ruling: len(ruling.payload) < len(_call())),
        ("malformed", lambda ruling: not _is_json(ruling.payload)),
        ("duplicate", lambda ruling: ruling.twice),
        ("banner", lambda ruling: not _is_json(ruling.before)),
        ("kill", lambda ruling: ruling.kill),
        ("status", lambda ruling: ruling.status == 503),
    ],
)
def test_faults(fault: str, check: Any) -> None:
    ruling: Ruling = _judge({"action": "fault", "fault": fault}).judge(C2S, _call())
    assert check(ruling)


def test_chance_decides_the_same_with_the_same_seed() -> None:
    rule = {"action": "drop", "probability": 0.3, "seed": 5}
    runs = [[each.judge(C2S, _call(n)).payload is None for n in range(200)] for each in (_judge(rule), _judge(rule))]
    assert runs[0] == runs[1]
    assert 30 < sum(runs[0]) < 90


def test_the_seed_that_was_drawn_is_known() -> None:
    (rule,) = _judge({"action": "drop", "probability": 0.3}).rules
    again = _judge({"action": "drop", "probability": 0.3, "seed": rule.rule.seed})
    first = _judge({"action": "drop"})
    first.rules = [rule]
    runs = [[each.judge(C2S, _call(n)).payload is None for n in range(50)] for each in (first, again)]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("500ms", 0.5, 0.5), ("1s..3s", 1, 3), ("2s±500ms", 1.5, 2.5), ("1kB/s", 0.05, 0.2), ("100ms±1s", 0, 1.1)],
)
def test_a_delay_is_a_time_or_a_range_or_a_rate(text: str, least: float, most: float) -> None:
    judge = _judge({"action": "delay", "delay": text})
    assert all(least <= judge.judge(C2S, _call()).delay_s <= most for _ in range(50))


@pytest.mark.parametrize(
    "bad",
    [
        {"action": "drop", "probability": 0},
        {"action": "drop", "probability": 1.1},
        {"action": "fault", "fault": "status", "status": 200},
        {"action": "delay", "delay": "fast"},
        {"action": "delay", "delay": "0kB/s"},
        {"action": "delay", "delay": "1..2s"},
    ],
)
def test_rule_values_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(BadRule):
        armed({"name": "bad"} | bad)


def _is_json(payload: bytes) -> bool:
    try:
        json.loads(payload)
    except ValueError:
        return False
    return True


def test_a_batch_is_treated_as_a_whole() -> None:
    ruling = _judge({"action": "hold", "when": "tool == create"}).judge(
        C2S, b"[" + _call(1, "other") + b"," + _call(2) + b"]"
    )
    assert ruling.hold is not None


def test_a_rule_that_fails_is_switched_off_and_the_message_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = _judge({"action": "drop"})
    told: list[str] = []
    judge.switched_off = lambda rule: told.append(rule.trouble)
    monkeypatch.setattr(judge.rules[0], "_condition", lambda view: 1 / 0)
    assert judge.judge(C2S, _call()).is_plain
    assert "ZeroDivisionError" in told[0]


def test_a_rule_that_takes_too_long_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = _judge({"action": "drop"})
    monkeypatch.setattr("inspector.features.tap.rules._SLOW_S", -1.0)
    assert judge.judge(C2S, _call()).is_plain
    assert "more than" in judge.rules[0].trouble


@pytest.mark.parametrize(
    ("value", "operations", "expected"),
    [
        ({"a": [1, 2]}, [{"op": "add", "path": "/a/1", "value": 9}], {"a": [1, 9, 2]}),
        ({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}], {"a": [1, 2]}),
        ({"a": 1}, [{"op": "move", "from": "/a", "path": "/b"}], {"b": 1}),
        ({"a": 1}, [{"op": "copy", "from": "/a", "path": "/b"}], {"a": 1, "b": 1}),
        ({"a/b": {"~": 1}}, [{"op": "remove", "path": "/a~1b/~0"}], {"a/b": {}}),
        ({"a": 1}, [{"op": "test", "path": "/a", "value": 1}, {"op": "replace", "path": "", "value": 3}], 3),
    ],
)
def test_json_patch(value: Any, operations: list[dict[str, Any]], expected: Any) -> None:
    assert apply_patch(value, operations) == expected


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "/x", "value": 1},
        {"op": "add", "path": "/a/5", "value": 1},
        {"op": "test", "path": "/a", "value": 2},
        {"op": "remove", "path": "a"},
    ],
)
def test_json_patch_that_does_not_fit(operation: dict[str, Any]) -> None:
    with pytest.raises(PatchFailed):
        apply_patch({"a": [1]}, [operation])


def test_merge_patch() -> None:
    assert apply_merge({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": None, "e": 3}, "d": [2]}) == {
        "a": {"c": 2, "e": 3},
        "d": [2],
    }


def test_held_message_is_released_at_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    held, outcomes = HeldList(3.0), list[HoldOutcome]()
    one = held.add(MessageView(C2S, _call()), _call(), armed({"name": "x", "action": "hold"}), outcomes.append)
    assert one.deadline - one.since == pytest.approx(2.4)
    assert held.due(one.deadline - 0.1) == one.deadline
    assert held.due(one.deadline) is None
    assert [(each.act, each.by, each.payload) for each in outcomes] == [("release", "deadline", _call())]
    assert "80%" in outcomes[0].why


def test_a_response_is_held_for_what_is_left_of_its_requests_time() -> None:
    held = HeldList(10.0)
    view = MessageView(S2C, b"{}")
    view.elapsed_ns = 5_000_000_000
    one = held.add(view, b"{}", armed({"name": "x", "action": "hold"}), lambda outcome: None)
    assert one.deadline - one.since == pytest.approx(3.0)


def test_a_timeout_that_was_observed_counts_unless_one_is_given() -> None:
    held = HeldList()
    assert held.timeout == (60.0, "assumed")
    held.observe_timeout(5.0)
    held.observe_timeout(9.0)
    assert held.timeout == (5.0, "observed")
    assert HeldList(3.0).timeout == (3.0, "given")


def test_a_request_that_is_given_up_while_it_is_held_is_dropped() -> None:
    held, outcomes = HeldList(), list[HoldOutcome]()
    held.add(MessageView(C2S, _call(4)), _call(4), armed({"name": "x", "action": "hold"}), outcomes.append)
    assert not held.cancelled(C2S, 5)
    assert held.cancelled(C2S, 4)
    assert [(each.act, each.by, each.payload) for each in outcomes] == [("drop", "client", None)]


def test_rules_file_over_the_limit_is_refused() -> None:
    rules, problems = read_rules("- {name: a, action: drop}\n" * 20_000)
    assert rules == []
    assert [each.why for each in problems] == ["the file has 520,000 characters, and a rules file has at most 300,000"]


def test_read_rules_of_too_many_rules_names_the_line_of_the_first_that_is_left_out() -> None:
    rules, problems = read_rules("".join(f"- {{name: r{n}, action: drop}}\n" for n in range(1001)))
    assert len(rules) == 1000
    assert [(each.line, each.why) for each in problems] == [
        (1001, "a rules file has at most 1,000 rules; the others are left out")
    ]
