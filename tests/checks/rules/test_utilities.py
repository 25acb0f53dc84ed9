"""Logging, progress, cancellation, pagination, caching."""

from inspector.protocol.revisions.table import ROWS
from tests.checks.both import of_one
from tests.checks.talks import META, Cases, Script, Talk, ids

_LOG = {"level": "info", "data": 1}


def _progress(*words: object, total: object = None, row: int = 4) -> Script:
    def talk() -> Talk:
        begun = Talk(row).ask("tools/call", {"name": "a"}, progressToken="t")
        for word in words:
            more = {} if total is None else {"total": total}
            begun.tell("notifications/progress", {"progressToken": "t", "progress": word} | more)
        return begun

    return talk


def _levelled(level: str) -> Script:
    return lambda: Talk().ask("logging/setLevel", {"level": level}).answer({}).tell("notifications/message", _LOG)


def _cancelled(seconds: float) -> Script:
    def talk() -> Talk:
        begun = Talk().ask("tools/call", {"name": "a"}).inform("notifications/cancelled", {"requestId": 2})
        return begun.wait(seconds).answer({"content": []})

    return talk


def _pages(*pages: dict[str, object], row: int = 4) -> Script:
    def talk() -> Talk:
        begun = Talk(row).ask("prompts/list").answer({"prompts": [{"name": "a"}]} | pages[0])
        for page in pages[1:]:
            begun.ask("prompts/list", {"cursor": "x"} if row < 5 else _with_cursor())
            begun.answer({"prompts": [{"name": "b"}]} | page)
        return begun

    return talk


def _with_cursor() -> dict[str, object]:
    return {"cursor": "x", "_meta": {META + "clientCapabilities": {}} | _VERSION}


_VERSION = {META + "protocolVersion": ROWS[-1].date}
_QUESTION = {"resultType": "input_required", "requestState": "s"}


def _logged(data: object) -> Script:
    return lambda: Talk().tell("notifications/message", {"level": "info", "data": data})


CASES: Cases = {
    "request-cancelled-by-server": (
        lambda: Talk().ask("tools/call", {"name": "a"}, 7).tell("notifications/cancelled", {"requestId": 7}),
        lambda: Talk().ask("tools/call", {"name": "a"}, 7).tell("notifications/cancelled", {"requestId": 8}),
    ),
    "secret-in-log": (_logged({"password": "hunter22x"}), _logged({"password": "********"})),
    "log-below-level": (_levelled("error"), _levelled("info")),
    "unrequested-log-message": (
        lambda: Talk(5).ask("tools/call", {"name": "a"}).tell("notifications/message", _LOG),
        lambda: (
            Talk(5).ask("tools/call", {"name": "a"}, **{META + "logLevel": "info"}).tell("notifications/message", _LOG)
        ),
    ),
    "unrequested-progress": (
        lambda: (
            _progress(1)().answer({"content": []}).tell("notifications/progress", {"progressToken": "t", "progress": 2})
        ),
        _progress(1),
    ),
    "progress-not-increasing": (_progress(2, 2), _progress(2, 2.5)),
    "progress-value-invalid": (_progress(3, total=2), _progress(2, total=2)),
    "progress-message-too-early": (
        lambda: _progress(row=1)().tell(
            "notifications/progress", {"progressToken": "t", "progress": 1, "message": "a"}
        ),
        _progress(1, row=1),
    ),
    "cancelled-unknown-request": (
        lambda: Talk().tell("notifications/cancelled", {"requestId": 7}),
        lambda: Talk().demand("roots/list", id_=7).tell("notifications/cancelled", {"requestId": 7}),
    ),
    "response-after-cancellation": (_cancelled(2), _cancelled(0.5)),
    "cursor-rejected": (
        lambda: _paged("").error(-32602),
        lambda: Talk().ask("prompts/list", {"cursor": "2"}).error(-32602),
    ),
    "cursor-cycle": (
        _pages({"nextCursor": "x"}, {"nextCursor": "x"}),
        _pages({"nextCursor": "x"}, {"nextCursor": "y"}),
    ),
    "cache-scope-inconsistent": (
        _pages({"nextCursor": "x"}, {"cacheScope": "private"}, row=5),
        _pages({"nextCursor": "x"}, {"cacheScope": "public"}, row=5),
    ),
    "harmful-cache-hints": (
        lambda: Talk(5).ask("tools/call", {"name": "a"}).answer(_QUESTION | {"ttlMs": 0}, bare=True),
        lambda: Talk(5).ask("tools/call", {"name": "a"}).answer(_QUESTION, bare=True),
    ),
}


def test_secret_in_log_is_not_repeated() -> None:
    (found,) = of_one(_logged("connecting with sk-" + "a1B2" * 12)().findings(), "secret-in-log")
    assert "a1B2" not in found.sentence
    assert "an API key" in found.sentence


def test_harmful_cache_hints_depend_on_credentials() -> None:
    def read(scope: str, **headers: str) -> Talk:
        talk = Talk(5, transport="http").post(**headers).ask("resources/read", {"uri": "a:b"}).head()
        return talk.answer({"contents": [{"uri": "a:b", "text": ""}], "cacheScope": scope})

    assert "harmful-cache-hints" in ids(read("public", Authorization="Bearer x"))
    assert "harmful-cache-hints" not in ids(read("private", Authorization="Bearer x"))
    assert "harmful-cache-hints" not in ids(read("public"))


def test_cursor_cycle_is_found_once() -> None:
    talk = Talk().ask("prompts/list").answer({"prompts": [{"name": "a"}], "nextCursor": "0"})
    for page in range(1, 120):
        listed = {"prompts": [{"name": f"a{page}"}], "nextCursor": str(page)}
        talk.ask("prompts/list", {"cursor": str(page - 1)}).answer(listed)
    assert len(of_one(talk.findings(), "cursor-cycle")) == 1


def test_progress_flood_is_found_once() -> None:
    assert [each.severity for each in of_one(_progress(*range(300))().findings(), "progress-value-invalid")] == ["hint"]
    slowly = Talk().ask("tools/call", {"name": "a"}, progressToken="t")
    for word in range(150):
        slowly.wait(0.1).tell("notifications/progress", {"progressToken": "t", "progress": word})
    assert "progress-value-invalid" not in ids(slowly)


def _paged(cursor: str) -> Talk:
    talk = Talk().ask("tools/list").answer({"tools": [{"name": "a", "inputSchema": {}}], "nextCursor": cursor})
    return talk.ask("tools/list", {"cursor": cursor})
