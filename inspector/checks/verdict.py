"""Orders findings: the most important first, each with its consequences below it.

One fault causes many findings: a missing variable ends the process, which ends the connection, which leaves a
request without its response. The cause is shown first, with its consequences below it. Otherwise errors precede
warnings, fatal findings precede others, certain findings precede likely ones, and guesses are last.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from inspector.checks import catalog
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import CHECKS

assert catalog.AREAS

_RANKS = {Confidence.CERTAIN: 0, Confidence.LIKELY: 1, Confidence.GUESS: 3}
_OF_A_RULE = 2
"""A likely diagnosis precedes a certain rule, because it names the cause; a guess does not."""

_GROUPS = {
    "SILENT": "server-silent unknown-method-unanswered request-unanswered silent-after-handshake call-timed-out",
    "EXITED": "exit-during-handshake exit-without-input server-killed unexpected-exit",
    "NOT-MESSAGES": "invalid-json-rpc blank-line",
}
_HABITS = frozenset(
    (
        *("stdout-not-json", "structured-content-missing", "tool-failure-unmarked"),
        *("tool-name-length", "member-of-other-version"),
    )
)
"""Checks that name something else each time, although the cause is the same if the fix is."""
_LINE, _LAST = "stdout-not-json", " … "
_EXPLAINS = """
command-not-found: program-not-runnable EXITED
docker-flags: EXITED SILENT stdout-not-json crlf-line-endings terminal-codes-on-stdout client-capability-not-declared
  server-request-not-allowed unexpected-response
shell-syntax-in-command: EXITED program-not-runnable environment-variable-missing file-not-found
endpoint-event-missing: http-request-rejected html-response SILENT NOT-MESSAGES stdout-not-json
interactive-prompt: stdout-not-json newline-missing NOT-MESSAGES SILENT package-still-installing stdin-not-read
  stdin-eof-ignored call-timed-out
placeholder-not-expanded: EXITED command-not-found program-not-runnable environment-variable-missing file-not-found
  credentials-rejected server-unreachable
given-value-doubtful: EXITED credentials-rejected authentication-required tool-backend-fails
program-not-runnable: EXITED
environment-variable-missing: EXITED SILENT stdin-eof-ignored
file-not-found: EXITED
port-in-use: EXITED SILENT slow-handshake
sdk-version-mismatch: EXITED server-silent tool-failure-as-protocol-error
package-still-installing: slow-handshake SILENT stdin-eof-ignored
stdin-not-read: SILENT stdin-eof-ignored stdout-not-json
exit-during-handshake: unexpected-exit stream-ended-early
exit-without-input: unexpected-exit stream-ended-early stdout-not-json NOT-MESSAGES
server-killed: unexpected-exit stream-ended-early
stdin-eof-ignored: child-processes-left
exit-during-session: unexpected-exit stream-ended-early
stdout-closed: unexpected-exit stdin-eof-ignored stream-ended-early
server-silent: stdin-eof-ignored
lsp-framing: stdout-not-json newline-missing NOT-MESSAGES SILENT
multiline-message: stdout-not-json newline-missing NOT-MESSAGES SILENT
newline-missing: stdout-not-json NOT-MESSAGES SILENT
child-holds-stdin: SILENT stdin-eof-ignored requests-serialized response-after-cancellation
server-request-pending: SILENT requests-serialized
server-busy: SILENT requests-serialized stdin-eof-ignored
requests-serialized: SILENT stdin-eof-ignored
exit-on-cancellation: exit-during-session unexpected-exit stream-ended-early
stdout-buffered: SILENT slow-handshake stdin-eof-ignored
shell-profile-output: stdout-not-json NOT-MESSAGES
terminal-codes-on-stdout: stdout-not-json NOT-MESSAGES
byte-order-mark: stdout-encoding stdout-not-json NOT-MESSAGES SILENT
stdout-encoding: NOT-MESSAGES
stdout-not-json: NOT-MESSAGES jsonrpc-member-invalid result-and-error
malformed-json: stdout-not-json newline-missing NOT-MESSAGES SILENT
last-message-truncated: exit-during-session exit-during-handshake exit-without-input newline-missing unexpected-exit
  stream-ended-early SILENT
interleaved-messages: stdout-not-json newline-missing NOT-MESSAGES SILENT
input-echoed: NOT-MESSAGES SILENT jsonrpc-member-invalid error-object-invalid request-id-invalid request-id-reused
  unexpected-response duplicate-response error-without-id client-capability-not-declared server-request-not-allowed
  handshake-rejected initialize-result-invalid
inexact-number: ambiguous-json NOT-MESSAGES
id-type-changed: unexpected-response SILENT
content-mime-type-mismatch: image-undecodable
handshake-demanded: call-rejected list-failed valid-input-rejected undeclared-constraint cache-hints-missing
  cache-hints-invalid server-info-missing result-type-missing incomplete-modern-support named-version-refused
rejected-as-uninitialized: invalid-ping-response call-rejected http-request-rejected session-expired
  session-id-not-issued list-failed
duplicate-response: response-on-get-stream
subscription-not-acknowledged: subscription-id-missing result-type-missing
input-required-not-allowed: tool-incomplete resource-uri-missing prompt-name-missing list-failed
request-unanswered: call-timed-out response-after-cancellation
message-before-handshake: notification-before-initialized list-changed-undeclared unknown-notification
notification-answered: rejected-as-uninitialized invalid-json-rpc unexpected-response error-without-id
  response-id-mismatch duplicate-response
json-rpc-envelope-missing: stdout-not-json NOT-MESSAGES result-and-error response-type-unsupported SILENT
response-id-mismatch: http-request-rejected handshake-rejected invalid-json-rpc unexpected-response
  duplicate-response error-without-id SILENT
silent-after-handshake: request-unanswered call-timed-out
client-capability-not-declared: SILENT
meta-rejected: call-rejected list-failed handshake-rejected invalid-ping-response
  invalid-arguments-as-protocol-error tool-failure-as-protocol-error
tool-failure-as-protocol-error: call-rejected
failure-logged: tool-failure-as-protocol-error call-rejected list-failed listed-resource-unreadable empty-result
  invalid-ping-response
child-process-runs: SILENT requests-serialized stdin-eof-ignored child-processes-left
server-waits-for-service: SILENT requests-serialized stdin-eof-ignored child-processes-left
result-wrapped: content-missing
invalid-arguments-as-protocol-error: call-rejected
error-object-invalid: call-rejected
request-not-sendable: call-rejected
no-common-version: modern-version-in-handshake unknown-protocol-version client-capability-required
modern-version-in-handshake: unknown-protocol-version
unknown-protocol-version: version-header-rejected
incomplete-modern-support: discover-not-implemented discover-result-invalid result-type-missing cache-hints-missing
  cache-hints-invalid null-optional-member
list-changed-silently: list-order-changed
obsolete-error-code: undefined-error-code
response-type-unsupported: request-unanswered silent-after-handshake call-timed-out
response-on-wrong-post: unexpected-response SILENT
response-on-get-stream: stream-ended-early SILENT
resource-metadata-invalid: missing-www-authenticate challenge-without-metadata authentication-required
missing-www-authenticate: resource-metadata-missing challenge-without-metadata authentication-required
authorization-server-metadata-invalid: authentication-required
oauth-client-rejected: authentication-required
redirect-issuer-mismatch: authentication-required
authorization-server-metadata-missing: authentication-required
oauth-endpoint-missing: authentication-required
endpoint-elsewhere: http-request-rejected server-unreachable html-response loopback-address-family
html-response: http-server-error http-request-rejected accept-header-rejected content-type-rejected
  get-response-invalid notification-not-accepted response-type-unsupported invalid-json-rpc metadata-is-html
loopback-address-family: server-unreachable
probe-unanswered: request-unanswered call-timed-out
server-unreachable: closed-without-response response-type-unsupported SILENT
closed-without-response: response-type-unsupported request-unanswered stream-ended-early SILENT
sse-transport: response-type-unsupported get-response-invalid html-response
http-redirect: http-request-rejected response-type-unsupported html-response credentials-rejected
host-rejected: http-request-rejected notification-not-accepted response-type-unsupported get-response-invalid
unknown-session-status: expired-session-status
accept-header-rejected: http-request-rejected authentication-required missing-www-authenticate
  resource-metadata-missing challenge-without-metadata
content-type-rejected: http-request-rejected authentication-required missing-www-authenticate
  resource-metadata-missing challenge-without-metadata
certificate-untrusted: http-request-rejected authentication-required missing-www-authenticate
  resource-metadata-missing challenge-without-metadata
non-bearer-challenge: scopes-not-announced http-request-rejected authentication-required missing-www-authenticate
  resource-metadata-missing
  challenge-without-metadata
session-id-not-issued: http-request-rejected list-failed
server-object-shared: session-id-not-issued session-expired http-server-error http-request-rejected list-failed
  handshake-rejected rejected-as-uninitialized
version-header-rejected: http-request-rejected list-failed
unterminated-event: stream-ended-early invalid-json-rpc SILENT
body-truncated: invalid-json-rpc stream-ended-early handshake-rejected
empty-body: response-type-unsupported
body-encoding-invalid: invalid-json-rpc response-type-unsupported stream-compressed
unknown-event-name: SILENT NOT-MESSAGES jsonrpc-member-invalid error-object-invalid error-without-id call-rejected
  stream-ended-early result-and-error json-rpc-envelope-missing
session-id-changed: session-expired cursor-rejected list-failed
session-id-not-forwarded: http-request-rejected expired-session-status session-expired session-id-not-issued
  rejected-as-uninitialized list-failed
content-type-mismatch: invalid-json-rpc stream-ended-early body-truncated handshake-rejected SILENT
multiline-event-data: invalid-json-rpc stream-ended-early SILENT
http-request-rejected: get-response-invalid
structured-content-missing: valid-input-rejected undeclared-constraint
structured-content-invalid: valid-input-rejected undeclared-constraint
expired-session-status: missing-www-authenticate authentication-required resource-metadata-missing
  challenge-without-metadata http-server-error http-request-rejected list-failed jsonrpc-member-invalid result-and-error
  error-object-invalid error-without-id invalid-json-rpc stream-ended-early
session-expired: response-on-wrong-post unexpected-response http-request-rejected list-failed
  invalid-ping-response call-rejected get-response-invalid rejected-as-uninitialized
  unknown-session-status expired-session-status
stream-buffered: buffering-header-missing stream-compressed
stream-idle-timeout: stream-ended-early
stream-compressed: buffering-header-missing
wrong-endpoint-event: http-request-rejected endpoint-event-not-first stream-ended-early
header-body-mismatch: protocol-error-status call-rejected list-failed
cursor-rejected: list-failed
rate-limited: response-type-unsupported handshake-rejected list-failed call-rejected http-request-rejected
http-server-error: response-type-unsupported
result-status-invalid: http-server-error http-request-rejected session-id-not-issued response-type-unsupported
unsafe-metadata-url: authentication-required missing-www-authenticate resource-metadata-missing
  client-registration-unavailable resource-metadata-invalid authorization-server-metadata-invalid
metadata-is-html: authentication-required missing-www-authenticate resource-metadata-missing
  challenge-without-metadata resource-metadata-invalid authorization-server-metadata-invalid html-response
challenge-without-metadata: authentication-required resource-metadata-missing
authentication-required: challenge-without-metadata scopes-not-announced
resource-mime-type-mismatch: resource-differs-from-list
tool-backend-fails: tool-failure-as-protocol-error call-rejected
tool-program-missing: tool-failure-as-protocol-error call-rejected invalid-arguments-as-protocol-error
notification-not-accepted: response-on-wrong-post unexpected-response duplicate-response incomplete-modern-support
  discover-result-invalid notification-answered invalid-json-rpc jsonrpc-member-invalid
resource-metadata-missing: authentication-required
clock-skew: credentials-rejected
pagination-incomplete: cursor-cycle
tool-name-length: tool-name-not-portable duplicate-tool-name
mirrored-header-unusable: mirrored-header-invalid
input-schema-not-object: invalid-schema
schema-expansion-limit: unresolved-reference schema-too-large
foreign-schema-format: tool-incomplete input-schema-not-object invalid-schema schema-library-mismatch
  invalid-keyword-value result-not-object
invalid-keyword-value: invalid-schema
image-too-large: content-mime-type-mismatch resource-mime-type-mismatch
half-surrogate: ambiguous-json stdout-encoding
"""
_FATAL = """
command-not-found program-not-runnable exit-during-handshake exit-without-input server-killed
package-still-installing docker-flags stdin-not-read environment-variable-missing file-not-found port-in-use
sdk-version-mismatch exit-during-session stdout-closed shell-syntax-in-command interactive-prompt id-type-changed
child-holds-stdin server-silent no-common-version handshake-rejected json-rpc-envelope-missing response-id-mismatch
silent-after-handshake lsp-framing multiline-message stdout-buffered input-echoed malformed-json
last-message-truncated html-response server-unreachable accept-header-rejected content-type-rejected host-rejected
session-id-not-issued certificate-untrusted proxy-failure wrong-endpoint-event version-header-rejected
http-server-error unterminated-event body-truncated empty-body http-request-rejected body-encoding-invalid
endpoint-event-missing session-id-not-forwarded multiline-event-data content-type-mismatch non-bearer-challenge
authorization-server-metadata-missing oauth-endpoint-missing missing-www-authenticate resource-metadata-missing
metadata-is-html credentials-rejected oauth-client-rejected redirect-issuer-mismatch unsafe-metadata-url
resource-metadata-invalid authorization-server-metadata-invalid expired-session-status error-object-invalid
"""
FATAL = frozenset(_FATAL.split())
"""With any of these findings nothing works."""
_NAMES = re.compile(r"“.*”|'[^']*'|\"[^\"]*\"|\b[\w./-]*\d[\w./-]*\b|\b(?:initialize|ping)\b|\b\w+/[\w/]+\b")
"""Parts of a sentence that name one of several occurrences: quoted text, numbers, methods."""
_INDEX = re.compile(r"/\d+(?=/|$)")
_DEFINED = re.compile(r"/result/(?:tools|prompts|resources|resourceTemplates)/")
"""The beginning of a pointer to a definition: each one is corrected by itself."""
_FRAMES_KEPT = 20
_DEFINITIONS = "inspector.checks.definitions."


class Verdict(msgspec.Struct, frozen=True):
    """The findings of one connection, ordered."""

    primary: Finding | None = None
    """Most important finding; None if there are no findings."""
    follows: tuple[Finding, ...] = ()
    """Consequences of the primary finding, in the order of the entries."""
    others: tuple[Finding, ...] = ()
    """Other findings with their consequences, in the order of the entries."""


def _explanations(table: str) -> dict[str, tuple[str, ...]]:
    for name, group in _GROUPS.items():
        table = table.replace(name, group)
    pairs = (line.split(":") for line in table.replace("\n  ", " ").strip().splitlines())
    return {cause: tuple(effects.split()) for cause, effects in pairs}


EXPLAINS = _explanations(_EXPLAINS)
"""By the id of a check: the checks whose findings may be consequences of its findings, in the same connection."""


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Merge findings that show the same fault in several messages into the first one, with all frames and the count.

    Definitions in one list are corrected one by one, so those are only merged if the list was received again.
    """
    found: dict[tuple[object, ...], Finding] = {}
    for each in findings:
        key = same_fault(each)
        before = found.get(key)
        if before is None:
            found[key] = each
            continue
        frames = (
            before.frames
            if len(before.frames) >= _FRAMES_KEPT
            else tuple(dict.fromkeys((*before.frames, *each.frames[:1])))
        )
        words = _with_the_last(before.sentence, each.sentence) if each.id == _LINE else before.sentence
        found[key] = msgspec.structs.replace(before, sentence=words, count=before.count + each.count, frames=frames)
    return list(found.values())


def explains_nothing(findings: Iterable[Finding]) -> bool:
    """Whether no finding can be why something failed: hints about definitions are not."""
    return all(each.severity is Severity.HINT and _DEFINED.match(each.pointer) for each in findings)


def _with_the_last(sentence: str, newest: str) -> str:
    """Return a sentence about lines of text with the first and the newest line: the latter often says what it was."""
    first, last = sentence.partition(_LAST)[0], newest.partition(": ")[2]
    return f"{first}{_LAST}{last}" if last and not first.endswith(last) else first


def same_fault(finding: Finding) -> tuple[object, ...]:
    """Return what findings of one fault have in common; a finding without frames is one by itself."""
    is_definition = bool(_DEFINED.match(finding.pointer))
    within = 0 if finding.frames else id(finding)
    place = finding.pointer if is_definition else _INDEX.sub("/*", finding.pointer)
    words = finding.sentence if is_definition else _NAMES.sub("*", finding.sentence)
    if finding.id in _HABITS:
        place, words = "", finding.fix
    return finding.connection, finding.id, finding.severity, finding.trait, finding.hosts, place, words, within


def verdict(findings: Iterable[Finding]) -> Verdict:
    """Order the findings of one connection."""
    found = list(findings)
    if not found:
        return Verdict()
    causes = causes_of(found)
    gravity = {
        id_: min(_gravity(each) for each in found if _root(each.id, causes) == id_) for id_ in _roots(found, causes)
    }
    primary = min((each for each in found if each.id in gravity), key=lambda each: (*gravity[each.id], *_key(each)))
    follows = tuple(each for each in found if each.id != primary.id and _root(each.id, causes) == primary.id)
    others = tuple(each for each in found if each is not primary and each not in follows)
    return Verdict(primary, follows, others)


def verdicts(findings: Iterable[Finding]) -> list[Verdict]:
    """Return a verdict for each connection with findings, in their order."""
    by_connection: dict[int, list[Finding]] = {}
    for each in findings:
        by_connection.setdefault(each.connection, []).append(each)
    return [verdict(by_connection[connection]) for connection in sorted(by_connection)]


def primary_of(findings: Iterable[Finding]) -> Finding | None:
    """Return the most important finding of all connections; None if there are none."""
    first = [each.primary for each in verdicts(findings) if each.primary is not None]
    return min(first, key=_key) if first else None


def roots_of(findings: Sequence[Finding]) -> list[str]:
    """Return the id of the root cause of each finding within its connection; its own id if there is none."""
    by_connection: dict[int, list[Finding]] = {}
    for each in findings:
        by_connection.setdefault(each.connection, []).append(each)
    causes = {connection: causes_of(found) for connection, found in by_connection.items()}
    return [_root(each.id, causes[each.connection]) for each in findings]


def causes_of(findings: Sequence[Finding]) -> dict[str, str]:
    """Return the check that explains the findings of a check, by their ids."""
    best: dict[str, Finding] = {}
    for each in findings:
        if each.id not in best or _key(each) < _key(best[each.id]):
            best[each.id] = each
    causes: dict[str, str] = {}
    for cause in sorted(best.values(), key=_key):
        for id_ in EXPLAINS.get(cause.id, ()):
            if id_ in best and id_ not in causes and _root(cause.id, causes) != id_:
                causes[id_] = cause.id
    return causes


def _roots(found: Sequence[Finding], causes: dict[str, str]) -> set[str]:
    return {each.id for each in found if each.id not in causes}


def _root(id_: str, causes: dict[str, str]) -> str:
    while id_ in causes:
        id_ = causes[id_]
    return id_


def _gravity(finding: Finding) -> tuple[int, bool, bool]:
    """Return the rank of the severity, whether the finding is about a probe, and whether it is not fatal."""
    return finding.severity.rank, finding.provoked, finding.id not in FATAL


def _key(finding: Finding) -> tuple[int, bool, bool, bool, int, int]:
    first = finding.frames[0] if finding.frames else 1 << 62
    return (
        *_gravity(finding),
        _is_advice(finding),
        _RANKS[finding.confidence] + _OF_A_RULE * (not _is_diagnosis(finding.id)),
        first,
    )


def _is_advice(finding: Finding) -> bool:
    """Whether it is a hint about how a definition is written: what happened is more important."""
    check = CHECKS.get(finding.id)
    is_of_one = (check is not None and check.module.startswith(_DEFINITIONS)) or _DEFINED.match(finding.pointer)
    return finding.severity is Severity.HINT and bool(is_of_one)


def _is_diagnosis(id_: str) -> bool:
    return id_ in CHECKS and CHECKS[id_].is_diagnosis


def in_reading_order(findings: Sequence[Finding]) -> list[Finding]:
    """Return the most important finding first, then its consequences, then the others, each in their order."""
    first = primary_of(findings)
    if first is None:
        return list(findings)
    rooted = zip(roots_of(findings), findings, strict=True)
    return [each for _, each in sorted(rooted, key=lambda pair: (pair[0] != first.id, pair[1] is not first))]
