"""Rules for initialization, discovery and declared capabilities."""

import re
from collections.abc import Iterator

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, check
from inspector.checks.state import PREFIX, CheckMoment
from inspector.protocol import peek
from inspector.protocol.capabilities import SKILLS, declares
from inspector.protocol.jsonrpc import ErrorAnswer
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import METHOD_NOT_FOUND, modern_code, names_stateless
from inspector.protocol.revisions.table import find

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_DATE = re.compile(r"\d{4}-\d\d-\d\d|DRAFT-.*")


@check(
    "unknown-protocol-version",
    _HINT,
    "a revision that this program does not know",
    "answer initialize",
    topic="basic/lifecycle",
    until="2025-11-25",
)
def revision_is_known(case: CheckMoment) -> Iterator[Flaw]:
    """Drafts and revisions to come."""
    date = peek.text(case.value, "protocolVersion")
    if date is not None and find(date) is None:
        said = f"the server answers with the protocol version {date[:40]!r}, which this program does not know"
        fix = (
            ""
            if _DATE.fullmatch(date)
            else "Versions of the protocol are dates; the version of the server goes into serverInfo."
        )
        yield Flaw(said, "/result/protocolVersion", fix=fix)


@check(
    "request-before-initialized",
    _WARNING,
    "a request before the client was ready",
    "request",
    topic="basic/lifecycle",
    until="2025-11-25",
    fix="Wait for notifications/initialized.",
    belated=True,
)
def waits_for_initialized(case: CheckMoment) -> Iterator[Flaw]:
    """Before `notifications/initialized` a server should send no requests but pings."""
    if _is_early(case) and case.method != "ping":
        yield Flaw(f"{case.method[:60]} was sent before notifications/initialized", "/method")


def _is_early(case: CheckMoment) -> bool:
    """Whether the handshake has begun, and the client has not said yet that it is ready."""
    state = case.state
    return not state.initialized and (state.opening is not None or state.handshake is not None)


@check(
    "notification-before-initialized",
    _HINT,
    "a notification before the client was ready",
    "notification",
    topic="basic/lifecycle",
    until="2025-11-25",
    belated=True,
)
def tells_after_initialized(case: CheckMoment) -> Iterator[Flaw]:
    """Only log messages should come so early."""
    if _is_early(case) and case.method not in (
        "notifications/message",
        "notifications/progress",
        "notifications/cancelled",
    ):
        yield Flaw(f"{case.method[:60]} was sent before notifications/initialized", "/method")


@check(
    "version-not-listed",
    _HINT,
    "the version in use is not among those supported",
    "answer server/discover",
    topic="server/discover",
    since="2026-07-28",
)
def supports_what_it_speaks(case: CheckMoment) -> Iterator[Flaw]:
    """It answered a request of a version that it then does not name."""
    asked = case.asked
    date = peek.text(asked.params if asked else None, "_meta", PREFIX + "protocolVersion")
    supported = peek.items(case.value, "supportedVersions")
    if date is not None and supported and date not in supported:
        yield Flaw(f"it answered a request of {date} and does not name that version", "/result/supportedVersions")


@check(
    "supported-versions-missing",
    _ERROR,
    "an unsupported version is refused without naming others",
    "error",
    topic="basic/lifecycle",
    since="2026-07-28",
)
def names_supported_versions(case: CheckMoment) -> Iterator[Flaw]:
    """-32022 carries `supported` and `requested`."""
    if peek.integer(case.value, "code") != -32022:
        return
    named = peek.items(case.value, "data", "supported")
    if not named or not all(isinstance(each, str) for each in named):
        yield Flaw("-32022 without the versions that are supported", "/error/data/supported")
    requested = peek.text(case.value, "data", "requested")
    sent = peek.text(case.asked.params if case.asked is not None else None, "_meta", PREFIX + "protocolVersion")
    if requested is None:
        yield Flaw("-32022 without the version that was requested", "/error/data/requested")
    elif sent is not None and requested != sent:
        said = f"-32022 says that {requested[:40]!r} was requested, and it was {sent[:40]!r}"
        yield Flaw(said, "/error/data/requested")


@check(
    "required-capabilities-missing",
    _ERROR,
    "a missing capability is not named",
    "error",
    topic="basic",
    since="2026-07-28",
)
def names_missing_capability(case: CheckMoment) -> Iterator[Flaw]:
    """-32021 carries `requiredCapabilities`, an object."""
    if peek.integer(case.value, "code") == -32021:
        if type(peek.at(case.value, "data", "requiredCapabilities")) is not dict:
            yield Flaw("-32021 without the capabilities that are required", "/error/data/requiredCapabilities")


@check(
    "unknown-result-type", _ERROR, "resultType is no word that there is", "answer", topic="basic", since="2026-07-28"
)
def result_type_is_known(case: CheckMoment) -> Iterator[Flaw]:
    """Known are complete, input_required, and what a declared extension defines.

    `task-on-unsupported-method` and `task-result-incomplete` say more of tasks.
    """
    word = peek.text(case.value, "resultType")
    if word in (None, "complete", "input_required") or case.method == "tasks/get":
        return
    if word == "task" and case.method != "tools/call":
        return
    if word == "task" and case.state.offered(case.asked, "extensions", PREFIX + "tasks"):
        return
    yield Flaw(f"resultType is {word!r}, which this client has not declared", "/result/resultType")


@check(
    "server-info-missing",
    _WARNING,
    "a result that does not say who answers",
    "answer",
    topic="basic",
    since="2026-07-28",
)
def says_who_answers(case: CheckMoment) -> Iterator[Flaw]:
    """`serverInfo` should be in every result's `_meta`; said once a connection."""
    if not peek.has(case.value, "_meta", PREFIX + "serverInfo") and case.state.is_sampled(
        "server-info-missing", 1, 1 << 62
    ):
        yield Flaw(f"the result of {case.method[:60]} does not say which server it is from", "/result/_meta")


@check(
    "release-candidate-leftover",
    _HINT,
    "leftovers of a release candidate",
    "answer server/discover",
    "error",
    topic="server/discover",
    since="2026-07-28",
)
def is_of_the_final_revision(case: CheckMoment) -> Iterator[Flaw]:
    """The candidate had the server's name in the body, and other numbers for three errors."""
    code = peek.integer(case.value, "code")
    if code in (-32001, -32003, -32004) and modern_code(case.value) is not None:
        yield Flaw(f"the error code {code} was {modern_code(case.value)} in the end", "/error/code")
    elif peek.has(case.value, "serverInfo"):
        yield Flaw("serverInfo stands in the result itself; it belongs into _meta", "/result/serverInfo")


@check(
    "extension-without-prefix",
    _ERROR,
    "an extension without a prefix",
    "answer server/discover",
    topic="basic/lifecycle",
    since="2026-07-28",
)
def extensions_have_prefixes(case: CheckMoment) -> Iterator[Flaw]:
    """Keys of `extensions` are names with a prefix."""
    for name in peek.mapping(case.value, "capabilities", "extensions"):
        if "/" not in name.strip("/"):
            yield Flaw(f"the extension {name[:60]!r} has no prefix", "/result/capabilities/extensions")


@check(
    "tasks-capability-obsolete",
    _ERROR,
    "tasks as a capability of the core",
    "answer server/discover",
    topic="server/discover",
    since="2026-07-28",
)
def tasks_are_an_extension(case: CheckMoment) -> Iterator[Flaw]:
    """Tasks have left the core."""
    if peek.has(case.value, "capabilities", "tasks"):
        yield Flaw("tasks are an extension in this revision, not a capability", "/result/capabilities/tasks")


@check(
    "handshake-error-without-versions",
    _WARNING,
    "a handshake is refused without a word of the versions there are",
    "error initialize",
    topic="basic/lifecycle",
    since="2026-07-28",
    early=True,
    fix='Answer -32022 with "supported" and "requested": older clients can then say what they need.',
)
def refuses_handshakes_with_versions(case: CheckMoment) -> Iterator[Flaw]:
    """By a server that has shown before that it speaks the revision without a handshake."""
    opening = case.state.opening
    if opening is not None and opening.era is Era.MODERN and not peek.items(case.value, "data", "supported"):
        yield Flaw("initialize was refused, and no version is named that is supported", "/error/data/supported")


_LISTS = {
    "notifications/tools/list_changed": "tools",
    "notifications/prompts/list_changed": "prompts",
    "notifications/resources/list_changed": "resources",
}


@check(
    "list-changed-undeclared",
    _ERROR,
    "a list is said to have changed, which was not promised",
    *(f"notification {method}" for method in _LISTS),
    topic="basic/lifecycle",
    mild_until="2025-03-26",
    until="2025-11-25",
    fix='Declare "listChanged": true.',
    belated=True,
)
def promised_to_tell_of_lists(case: CheckMoment) -> Iterator[Flaw]:
    """Notifications of changes are a capability."""
    kind = _LISTS[case.method]
    if case.state.opening is not None and not case.state.capable(kind, "listChanged"):
        yield Flaw(f"{case.method}, and the server does not declare {kind}.listChanged", "/method")


@check(
    "resource-update-undeclared",
    _ERROR,
    "an update of a resource, which was not promised",
    "notification notifications/resources/updated",
    topic="server/resources",
    mild_until="2025-03-26",
    fix='Declare "subscribe": true.',
    belated=True,
)
def promised_to_tell_of_resources(case: CheckMoment) -> Iterator[Flaw]:
    """Updates are a capability."""
    if case.state.opening is not None and not case.state.capable("resources", "subscribe"):
        yield Flaw("an update, and the server does not declare resources.subscribe", "/method")


@check(
    "logging-undeclared",
    _ERROR,
    "a log message, which was not promised",
    "notification notifications/message",
    topic="server/utilities/logging",
    fix="Declare logging.",
    belated=True,
)
def promised_to_log(case: CheckMoment) -> Iterator[Flaw]:
    """“Servers that emit log message notifications MUST declare the logging capability.”"""
    state = case.state
    if state.opening is not None and state.opening.capabilities and not state.capable("logging"):
        yield Flaw("a log message, and the server does not declare logging", "/method")


_KINDS = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}


@check(
    "list-undeclared",
    _WARNING,
    "a list that the server does not declare",
    *(f"answer {method}" for method in _KINDS),
    topic="basic/lifecycle",
    fix="Declare the capability, or clients will not ask.",
)
def declares_what_it_has(case: CheckMoment) -> Iterator[Flaw]:
    """Items come, and the capability is absent."""
    kind = _KINDS[case.method]
    opening = case.state.opening
    known = opening is not None and (opening.era is Era.LEGACY or bool(opening.supported))
    if known and not case.state.capable(kind) and peek.items(case.value, kind):
        yield Flaw(f"{case.method} has items, and the server does not declare {kind}", f"/result/{kind}")


@check(
    "capability-not-implemented",
    _ERROR,
    "a capability without its list",
    *(f"error {method}" for method in _KINDS),
    topic="basic/lifecycle",
    mild_until="2025-11-25",
    fix="Implement the method or do not declare the capability.",
)
def has_what_it_declares(case: CheckMoment) -> Iterator[Flaw]:
    """The list of a declared capability is not known to the server."""
    kind = _KINDS[case.method]
    if peek.integer(case.value, "code") == -32601 and case.state.capable(kind):
        yield Flaw(f"the server declares {kind} and does not know {case.method}", "/error/code")


@check(
    "skills-unavailable",
    _ERROR,
    "skills are declared, and can't be listed or read",
    "answer initialize",
    "answer server/discover",
    "answer skills/list",
    "error skills/list",
    topic="https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx",
)
def skills_can_be_had(case: CheckMoment) -> Iterator[Flaw]:
    """A server that declares skills lists them by skills/list, and their files are read as resources."""
    if case.method != "skills/list":
        capabilities = peek.mapping(case.value, "capabilities")
        if declares(capabilities, SKILLS) and peek.at(capabilities, "resources") is None:
            fix = 'Declare "resources": {}, and answer resources/read.'
            yield Flaw("the server declares skills, and not resources, by which they are read", _SKILLS_AT, fix=fix)
    elif case.state.opening is None or not declares(case.state.opening.capabilities, SKILLS):
        return
    elif isinstance(case.message, ErrorAnswer):
        if peek.integer(case.value, "code") == -32601:
            fix = "Implement skills/list, or do not declare the extension."
            yield Flaw("the server declares skills, and does not know skills/list", "/error/code", fix=fix)
    elif type(peek.at(case.value, "skills")) is not list:
        yield Flaw("skills/list was answered without a list of skills", "/result/skills")


_SKILLS_AT = "/result/capabilities/extensions/io.modelcontextprotocol~1skills"


@check(
    "discover-not-implemented",
    _ERROR,
    "server/discover is not known to a server that needs it",
    "error server/discover",
    *(f"answer {method}" for method in _KINDS),
    topic="server/discover",
    since="2026-07-28",
    early=True,
    confidence=Confidence.LIKELY,
)
def can_be_discovered(case: CheckMoment) -> Iterator[Flaw]:
    """“Servers MUST implement server/discover”, if they name a stateless revision or have spoken it."""
    state, notes = case.state, case.state.notes
    if case.method != "server/discover":
        if "discover-not-implemented" in notes and peek.has(case.value, "resultType"):
            said = "a server of the stateless revision does not know server/discover"
            yield Flaw(said, frames=(notes.pop("discover-not-implemented"),), instead=True)
    elif peek.integer(case.value, "code") == METHOD_NOT_FOUND:
        spoken = state.opening is not None and state.opening.era is Era.MODERN
        if named := names_stateless(case.value):
            yield Flaw(f"the server names {named} and does not know server/discover", "/error/code")
        elif spoken:
            yield Flaw("a server of the stateless revision does not know server/discover", "/error/code")
        else:
            notes["discover-not-implemented"] = case.n
