"""An operation as one JSON value, in which two of them can be compared place by place."""

from typing import Any

from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import Account, Asked, Loose
from inspector.protocol import peek
from inspector.protocol.exchanges import ExchangeState

_STAMPED = "io.modelcontextprotocol/"
"""Members of `_meta` whose names begin so say who the client is, at every request."""
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


def document(account: Account, normal: Normal, *, asked_too: bool = True) -> dict[str, Any]:
    """All that is compared of an operation; `asked_too` False leaves out what the client asked for."""
    said: dict[str, Any] = {"params": essence(account.method, account.params)} if asked_too else {}
    last = account.last
    if last.answer_frame is not None and account.state in _ANSWERED:
        said["error" if last.failed else "result"] = account.answer
    else:
        said["outcome"] = str(account.state)
    told = [{"method": method, "params": params} for method, params in account.told]
    questions = [_question(each) for each in account.asked]
    beside = {"progress": account.progress, "logs": account.logs, "notifications": told, "questions": questions}
    value = normal(said | {name: items for name, items in beside.items() if items})
    assert isinstance(value, dict), "rules stand below the whole"
    return value


def loose_document(loose: Loose, normal: Normal) -> Any:
    """What is compared of a message that stands by itself: but for what it says nothing."""
    return normal({"params": loose.params})


def _question(asked: Asked) -> dict[str, Any]:
    said = {"method": asked.method, "params": asked.params}
    return said | ({} if asked.answer is None else {"error" if asked.failed else "answer": asked.answer})
