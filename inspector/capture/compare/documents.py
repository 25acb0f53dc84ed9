"""An operation as one JSON value, in which two of them can be compared place by place."""

from collections.abc import Collection, Iterator
from typing import Any

from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import Account, Asked, Loose
from inspector.protocol import peek
from inspector.protocol.exchanges import ExchangeState

_STAMPED = "io.modelcontextprotocol/"
"""Members of `_meta` whose names begin so say who is speaking, at every request and in every result."""
_CACHING = ("ttlMs", "cacheScope")
_ANSWERED = (ExchangeState.ANSWERED, ExchangeState.ERROR, ExchangeState.LATE)


def essence(method: str, params: Any) -> Any:
    """What is asked for, without what a client adds to every request, and without who the client is."""
    if not isinstance(params, dict):
        return params
    left_out = {"inputResponses", "requestState"}
    if method == "initialize":
        left_out |= {"clientInfo", "capabilities"}
    kept = {key: value for key, value in params.items() if key not in left_out}
    meta = {
        key: value
        for key, value in peek.mapping(kept, "_meta").items()
        if key != "progressToken" and not key.startswith(_STAMPED)
    }
    kept.pop("_meta", None)
    return kept | ({"_meta": meta} if meta else {}) or None


def document(
    account: Account, normal: Normal, left_out: Collection[str] = (), *, across: bool = False
) -> dict[str, Any]:
    """All that is compared of an operation, but for the parts of these names (see `alike`).

    `across`: with one by another revision; then what a result says because of its own is left out as well.
    """
    said: dict[str, Any] = {}
    if "params" not in left_out:
        said["params"] = essence(account.method, account.params)
    if "answer" not in left_out:
        name, value = _outcome(account)
        said[name] = _without_envelope(value) if across and name == "result" else value
    value = normal(said | {name: items for name, items in _beside(account, left_out) if items})
    assert isinstance(value, dict), "rules stand below the whole"
    return value


def alike(before: Account, after: Account) -> set[str]:
    """The parts of two operations that are plainly the same as they came, which is most: none of it need be decoded.

    They are "answer", "progress", "logs", "notifications" and "questions". Of params it is not told.
    """
    found = set()
    if len(before.sent) == len(after.sent) == 1 and before.state is after.state and _same_answer(before, after):
        found.add("answer")
    if before.progress == after.progress:
        found.add("progress")
    if before.logs == after.logs:
        found.add("logs")
    if before.told == after.told:
        found.add("notifications")
    if not before.asked and not after.asked:
        found.add("questions")
    return found


ALL = frozenset(("params", "answer", "progress", "logs", "notifications", "questions"))
"""The parts of an operation."""


def _same_answer(before: Account, after: Account) -> bool:
    ours, theirs = before.sent[0], after.sent[0]
    if (ours.answer_frame is None) is not (theirs.answer_frame is None) or ours.failed is not theirs.failed:
        return False
    return ours.answer.raw == theirs.answer.raw


def _outcome(account: Account) -> tuple[str, Any]:
    last = account.last
    if last.answer_frame is not None and account.state in _ANSWERED:
        return "error" if last.failed else "result", account.answer
    return "outcome", str(account.state)


def _without_envelope(result: Any) -> Any:
    """A result without what every result of the stateless era carries, and none of another."""
    if not isinstance(result, dict):
        return result
    kept = {name: value for name, value in result.items() if name not in _CACHING}
    if kept.get("resultType") == "complete":
        del kept["resultType"]
    if isinstance(meta := kept.get("_meta"), dict):
        kept["_meta"] = {name: value for name, value in meta.items() if not name.startswith(_STAMPED)}
        if not kept["_meta"]:
            del kept["_meta"]
    return kept


def _beside(account: Account, left_out: Collection[str]) -> Iterator[tuple[str, list[Any]]]:
    """What was told and asked meanwhile."""
    if "progress" not in left_out:
        yield "progress", account.progress
    if "logs" not in left_out:
        yield "logs", account.logs
    if "notifications" not in left_out:
        yield "notifications", [{"method": method, "params": params} for method, params in account.told]
    if "questions" not in left_out:
        yield "questions", [_question(each) for each in account.asked]


def loose_document(loose: Loose, normal: Normal) -> Any:
    """What is compared of a message that stands by itself: but for what it says nothing."""
    return normal({"params": loose.params})


def _question(asked: Asked) -> dict[str, Any]:
    said = {"method": asked.method, "params": asked.params}
    return said | ({} if asked.answer is None else {"error" if asked.failed else "answer": asked.answer})
