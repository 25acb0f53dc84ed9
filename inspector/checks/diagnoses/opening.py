"""Why no conversation came about, or why it will not with others: ids, silence, versions."""

import re
from collections.abc import Iterator

from inspector.checks.diagnoses.starting import unanswered
from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, check
from inspector.checks.scene import Case, Scene
from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Answer, ErrorAnswer
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import find

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_SLOW_NS, _TOO_SLOW_NS, _SILENT_NS = 5_000_000_000, 60_000_000_000, 2_000_000_000


@check(
    "L-01", _ERROR, "an id came back as another type", "orphan", topic="basic", fix="Echo the id exactly as it came."
)
def id_keeps_its_type(case: Case) -> Iterator[Flaw]:
    """1 and "1" are two ids."""
    message = case.message
    if not isinstance(message, Answer | ErrorAnswer) or message.id is None:
        return
    for (side, id_), asked in case.scene.asked.items():
        if side is Direction.TO_SERVER and id_ != message.id and str(id_) == str(message.id):
            said = f"the id {id_!r} came back as {message.id!r}: a different id, so the request stays unanswered"
            yield Flaw(said, "/id", frames=(asked.frame,))


@check("L-04", _ERROR, "the server is alive and silent", "end", topic="basic/lifecycle")
def answers_initialize(case: Case) -> Iterator[Flaw]:
    """The handshake was sent, the process lives, nothing came."""
    scene = case.scene
    asked = unanswered(scene)
    if asked is None:
        return
    if scene.is_http:
        life = scene.http.get(asked.http) if asked.http is not None else None
        status = life.response.status if life is not None and life.response is not None else None
        heard = "no HTTP response came" if status is None else f"the response has status {status} and no message in it"
        waited = (scene.last_ns - asked.time_ns) / 1e9
        fix = "Is this the URL of its MCP endpoint? Does a gateway hold the response back? See the server's log."
        said = f"initialize was never answered: {heard} within {waited:.0f} s"
        yield Flaw(said, frames=(asked.frame,), instead=True, fix=fix)
        return
    words = [(n, line) for n, line in scene.stderr if line.strip()]
    said = f"; stderr ends with: {words[-1][1][:120].decode('utf-8', 'replace')}" if words else "; stderr is empty"
    frames = (asked.frame, *(n for n, _ in words[-1:]))
    fix = "Is it the right subcommand? Does it work before it reads stdin? Does it flush its output?"
    yield Flaw(f"initialize was never answered{said}", frames=frames, instead=True, fix=fix)


@check(
    "L-05",
    _HINT,
    "a slow handshake",
    "answer initialize",
    "answer server/discover",
    topic="",
    fix="Answer first, load later.",
)
def answers_soon(case: Case) -> Iterator[Flaw]:
    """From the beginning of the connection. No limit is specified; what takes a minute outlasts common timeouts."""
    took = case.time_ns - case.scene.began_ns
    if took > _SLOW_NS and case.scene.began_ns and case.scene.opening is None:
        worse = _WARNING if took > _TOO_SLOW_NS else None
        yield Flaw(f"the first response took {took / 1e9:.0f} s", severity=worse)


def log_of(scene: Scene) -> str:
    """What a server on this transport writes its log to, for a sentence."""
    return "log" if scene.is_http else "stderr"


_EARLY = re.compile(
    r"(?i)before initiali[sz]ation|not (yet )?(been )?initiali[sz]ed|must initiali[sz]e|uninitiali[sz]ed"
)


@check("L-06", _ERROR, "a request refused as if nobody had said hello", "error", topic="basic/lifecycle", until=4)
def knows_that_it_was_initialized(case: Case) -> Iterator[Flaw]:
    """It has lost what was agreed on, or the client was too early."""
    scene, said = case.scene, peek.text(case.value, "message") or ""
    if scene.opening is None or case.method in ("initialize", "server/discover") or not _EARLY.search(said[:500]):
        return
    if scene.initialized:
        fix = "Was it restarted, or do several take turns? Keep sessions to one of them, or be stateless."
        yield Flaw(f"{case.method[:60]} was refused as if there had been no initialize: {said[:100]}", fix=fix)
    else:
        fix = "Send notifications/initialized before the first request."
        yield Flaw(f"{case.method[:60]} was sent before notifications/initialized: {said[:100]}", fix=fix)


_VERSION = re.compile(
    r"(?i)(unsupported|invalid|unknown|incompatible|not supported).{0,40}version|version.{0,40}(not |un)supported"
)


@check("L-07", _ERROR, "no version in common", "error", topic="basic/lifecycle")
def has_a_version_in_common(case: Case) -> Iterator[Flaw]:
    """-32022, or initialize refused for its version; no harm where one is known that both speak."""
    code, asked = peek.integer(case.value, "code"), case.asked
    said = peek.text(case.value, "message") or ""
    if code != -32022 and not (case.method == "initialize" and _VERSION.search(said[:500])):
        return
    if case.method == "initialize" and case.scene.opening is not None:
        return  # the probe was answered late, and what it said counts
    named = [each for each in peek.items(case.value, "data", "supported") if isinstance(each, str)]
    common = [each for each in named if find(each) is not None]
    tells = f"it supports {', '.join(each[:20] for each in named[:5])}" if named else said[:100]
    harmless = asked is not None and (asked.probe or (asked.method == "initialize" and code == -32022))
    mild = _HINT if common and harmless else None
    fix = f"--revision {common[0]}" if common else "Ask its author which revisions it speaks."
    yield Flaw(f"the server refuses the version that was asked for: {tells}", "/error", severity=mild, fix=fix)


@check(
    "L-08",
    _ERROR,
    "a version is agreed on that has no handshake",
    "answer initialize",
    topic="basic/lifecycle",
    until=4,
)
def negotiates(case: Case) -> Iterator[Flaw]:
    """It echoes whatever it gets."""
    date = peek.text(case.value, "protocolVersion")
    row = find(date) if date else None
    if row is not None and row.era is Era.MODERN:
        yield Flaw(f"initialize was answered with {date}, a revision without initialize", "/result/protocolVersion")


@check(
    "L-09",
    _ERROR,
    "half of the stateless revision",
    "answer server/discover",
    topic="server/discover",
    fix="Give all that each result of this revision needs, or do not answer server/discover.",
)
def is_stateless_all_through(case: Case) -> Iterator[Flaw]:
    """server/discover is answered, and members are missing that clients of that revision rely on."""
    if type(case.value) is not dict:
        return
    missing = [name for name in _NEEDED if name not in case.value]
    if missing:
        yield Flaw(f"server/discover is answered without {', '.join(missing)}", "/result")


_NEEDED = ("supportedVersions", "capabilities", "resultType", "ttlMs", "cacheScope")


@check(
    "L-10",
    _HINT,
    "silent to what it does not know",
    "answer initialize",
    topic="basic",
    until=4,
    confidence=Confidence.LIKELY,
    fix="Answer unknown requests with -32601.",
)
def answers_the_unknown(case: Case) -> Iterator[Flaw]:
    """The probe was not answered, initialize was: clients of both eras lose time at each start.

    A hint: before initialize, clients of the handshake era should send nothing else, so it is their business, too.
    """
    for asked in (*case.scene.asked.values(), *case.scene.done.values()):
        life = case.scene.http.get(asked.http) if asked.http is not None else None
        silent = asked.answered is None and (asked.http is None or (life is not None and life.response is None))
        if asked.method == "server/discover" and silent and asked.frame < case.n:
            wait = (case.time_ns - asked.time_ns) / 1e9
            yield Flaw(f"server/discover got no answer, and cost {wait:.1f} s", frames=(asked.frame,), instead=True)
            return


_TOLD_BY = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}


@check(
    "L-13",
    _HINT,
    "a list changed in silence",
    *(f"answer {each}" for each in _TOLD_BY),
    topic="basic/lifecycle",
    until=4,
)
def changes_are_told(case: Case) -> Iterator[Flaw]:
    """Two lists of one page differ, listChanged is promised, and no notification came between."""
    kind = _TOLD_BY[case.method]
    before, paged = case.scene.known[kind], peek.has(case.value, "nextCursor")
    if not before or paged or (case.asked is not None and peek.has(case.asked.params, "cursor")):
        return
    now = {peek.text(item, "uri" if kind == "resources" else "name") for item in peek.items(case.value, kind)}
    told = case.scene.judged.get(f"told {kind}", 0)
    if now != set(before) and case.scene.capable(kind, "listChanged") and not told:
        yield Flaw(f"{kind} have changed, and no notification said so", f"/result/{kind}")


@check("L-21", _ERROR, "the handshake was refused", "error initialize", topic="basic/lifecycle")
def takes_the_handshake(case: Case) -> Iterator[Flaw]:
    """With an error that is no word about versions; a server that does not know initialize may be of the other era."""
    code, said = peek.integer(case.value, "code"), peek.text(case.value, "message") or ""
    if code in (-32601, -32022) or _VERSION.search(said[:500]) or _echoed(case):
        return
    fix = f"See its {log_of(case.scene)}: what it needs is missing, or it rejects this client."
    yield Flaw(f"initialize was refused with {code}: {said[:160]}", "/error", fix=fix)


def _echoed(case: Case) -> bool:
    """Whether the server has sent that very request itself, so that the answer is one of ours."""
    return case.asked is not None and (Direction.FROM_SERVER, case.asked.id) in (*case.scene.asked, *case.scene.done)


_LISTS = (*_TOLD_BY, "resources/templates/list")
_WAITS = ("initialize", "server/discover", "subscriptions/listen", "tools/call", "tasks/result")
"""What has a diagnosis of its own, or may take as long as it likes."""


@check(
    "L-22",
    _ERROR,
    "a request that was never answered",
    "end",
    topic="basic",
    fix="Answer every request, with an error where there is nothing else, and give what it waits for a time limit.",
)
def answers_everything(case: Case) -> Iterator[Flaw]:
    """The server lives, has answered others, and kept silent about this one for a while."""
    scene = case.scene
    if scene.opening is None or scene.why:
        return
    for asked in (*scene.asked.values(), *scene.done.values()):
        waited = (asked.cancelled_ns or scene.last_ns) - asked.time_ns
        ours = asked.sender is Direction.TO_SERVER and asked.answered is None and asked.method not in _WAITS
        if ours and waited >= _SILENT_NS:
            said = f"{asked.method[:60]} was not answered within {waited / 1e9:.0f} s; the server lives"
            yield Flaw(said, frames=(asked.frame,), instead=True)


@check(
    "L-23",
    _ERROR,
    "a list that cannot be had",
    *(f"error {each}" for each in _LISTS),
    topic="basic",
)
def gives_its_lists(case: Case) -> Iterator[Flaw]:
    """Refused with an internal error or one of its own; that it does not know the method is another fault."""
    code, said = peek.integer(case.value, "code"), peek.text(case.value, "message") or ""
    if code == -32603 or (code is not None and not -32768 <= code <= -32000):
        fix = f"See its {log_of(case.scene)}. Leave out what can't be listed, not the whole list."
        yield Flaw(f"{case.method} was refused with {code}: {said[:160]}", "/error", fix=fix)
