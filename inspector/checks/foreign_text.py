"""The reason in an error message or response body, and secrets in foreign text."""

import html
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.protocol import peek
from inspector.text import cut

LIMITED = re.compile(r"(?i)\brate.?limit|too many (?:requests|calls)|\bthrottled\b|quota exceeded")
"""How a server refuses a request because there were too many, whatever this one has."""
_NAMED, _MOST, _DEPTH = 3, 200, 12
_NAMES = (
    *("unionErrors", "detail", "details", "reason", "message", "error_message", "errorMessage", "error_description"),
    *("error", "cause", "exception", "description"),
    *("msg", "title", "hint", "errors", "issues", "name", "status_message", "message_en"),
)
"""Members that contain a reason, best first."""
_KINDS = ("errorType", "error_type", "exceptionType")
"""Members that name the kind of an error beside its message."""
_SENTENCE = re.compile(r"(?<=[\w>'\")\]])\. (?=[A-Z])")
"""The end of a sentence that another one follows."""
QUOTES_CODE = re.compile(r"`|>>>")
"""What texts about code have, which show what programs print."""
_STACK = re.compile(r"\n[ \t]+at |Traceback \(most recent")
_TITLE = re.compile(r"(?is)<title[^<>]*>(.{1,200}?)</title>")
_OF_DJANGO = "Exception Value: "  # on an error page as text
_DECISIVE = re.compile(
    r"(?i)error\b|exception\b|\b(?:failed|denied|invalid|cannot|can't|could not|missing|required|expected|refused)\b"
)
_VERBS = frozenset(("executing", "execute", "calling", "call", "running", "run", "invoking", "invoke"))
_EMPTY_WORDS = _VERBS | {
    *("a", "an", "the", "this", "your", "has", "was", "is", "internal"),
    *("server", "unexpected", "general", "tool", "tools", "execution", "request", "operation", "runtime"),
    *("error", "errors", "failure", "failed", "exception", "occurred", "happened", "while", "processing"),
    *("something", "went", "wrong", "oops", "sorry", "please", "try", "again", "later"),
    *("to", "process", "complete", "with", "in", "during"),
}
"""Words of messages that say no more than that there is a failure."""
_NOTHING = frozenset(("", "{}", "null", "None", "undefined", "''", '""'))
"""What follows the colon of a message whose reason was lost."""
_WORD = re.compile(r"\w[\w.-]*")
_MOST_EMPTY = 400
STATUS_ONLY = re.compile(
    r"(?i)\W*(?:(?:http|error|status)\W*)*(?:[45]\d\d\b\W*)?(?:(?:forbidden|bad request|error|not found|unauthorized|"
    r"internal server error|access denied|too many requests|method not allowed|service unavailable|bad gateway|"
    r"gateway timeout|not acceptable)\W*)?"
)
"""A title that adds nothing to the HTTP status."""
_PARAGRAPH = re.compile(r"(?is)<(?:p|pre)(?:\s[^<>]*)?>(.{1,400}?)<(?:/p(?:re)?|br\s?/?)>")
_HEADING = re.compile(r"(?is)<h[12](?:\s[^<>]*)?>(.{1,400}?)</h[12]>")
_ELEMENT = re.compile(r"(?is)<(?:message|faultstring|reason|detail|description)>(.{1,400}?)</")
"""An element of an XML error, as of S3 and SOAP."""
_UNSEEN = re.compile(r"(?is)<(script|style)\b.*?</\1>|<!--.*?-->")
_BETWEEN_TAGS = re.compile(r">([^<>]{8,2000})(?=<)")
_CAUSE = re.compile(
    r"(?i)\b(?:blocked|denied|not allowed|offline|expired|suspended|doesn't|does not|must|cannot|uncaught|undefined)\b"
)
_TAG = re.compile(r"<[^>]{0,200}>")
_SHAPES: tuple[tuple[bytes, str, re.Pattern[bytes]], ...] = tuple(
    (begin, kind, re.compile(rest))
    for kind, rest, *beginnings in (
        ("a private key", rb"[A-Z ]{0,20}PRIVATE KEY-----", b"-----BEGIN "),
        ("a GitHub token", rb"[A-Za-z0-9]{36}", b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"),
        ("a GitHub token", rb"[A-Za-z0-9_]{40}", b"github_pat_"),
        ("an AWS key", rb"[A-Z0-9]{16}(?![A-Za-z0-9])", b"AKIA", b"ASIA"),
        ("a Slack token", rb"[abposr]-[A-Za-z0-9-]{20}", b"xox"),
        ("a Stripe key", rb"[A-Za-z0-9]{20}", b"sk_live_", b"rk_live_"),
        ("an API key", rb"(?:[a-z]+-){0,3}[A-Za-z0-9_]{32}", b"sk-"),
        ("an API key", rb"(?:ant|proj|svcacct|or)-[A-Za-z0-9_-]{32}", b"sk-"),
        ("a Google API key", rb"[A-Za-z0-9_-]{35}", b"AIza"),
        ("a signed token", rb"[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10}", b"eyJ"),
        ("a password in an address", rb"[^/\s:@\"\\]{1,60}:(?!\*|x{3}|[<$\{])[^/\s@\"\\]{3,80}@[A-Za-z0-9]", b"://"),
    )
    for begin in beginnings
)
_WORDS = tuple(
    (first + joint + second).encode()
    for first, second in (
        ("password", ""),
        ("passwd", ""),
        ("client", "secret"),
        ("api", "key"),
        ("access", "token"),
        ("refresh", "token"),
        ("private", "key"),
    )
    for joint in (("_", "-", "") if second else ("",))
)
_ANY_BEGINNING = re.compile(b"|".join(re.escape(begin) for begin, _, _ in _SHAPES))
_ANY_WORD = re.compile(b"|".join(re.escape(word) for word in _WORDS))
"""Finds in one pass whether a text contains any of them; most texts do not."""
_VALUE = re.compile(rb"[\\\"']{0,3}\s{0,3}[:=]\s{0,3}[\\\"']{0,3}([^\s\\\"',;}&]{8,200})")
_EMPTY = re.compile(
    rb"(?i)[*.x#_-]{3}|\xe2\x80\xa2|[<\[$%{(]|redact|hidden|masked|secret|none|null|undefined|true|false|not|example"
    rb"|your|required|missing|invalid|string"
)
_SECRETS_MOST = 20
"""Maximum occurrences of one prefix or word that are examined."""


def elided(text: str, most: int = _MOST) -> str:
    """Shorten a text: to its first sentences, else in its middle.

    A message mostly begins with what failed, and ends with why; advice follows in sentences of its own.
    """
    if len(text) <= most:
        return text
    ends = [found.start() for found in _SENTENCE.finditer(text[: most + 2])]
    if ends and ends[-1] >= most // 3:
        return text[: ends[-1]]
    head = most * 11 // 20
    return f"{text[:head].rstrip()} … {text[len(text) - (most - head - 3) :].lstrip()}"


def and_more(others: Sequence[str], one: str, *, all_of_them: bool = True) -> str:
    """Return ", and 5 more tools (a, b, c, …)" for a sentence about the first of several; "" without others."""
    named = f"{', '.join(others[:_NAMED])}{', …' * (len(others) > _NAMED)}"
    least = "" if all_of_them else "at least "
    return f", and {least}{len(others):,} more {one}{'s' * (len(others) > 1)} ({named})" if others else ""


def reason_of(error: Any) -> str:
    """Return the message of a JSON-RPC error, and what its `data` adds to it; "" if it is empty."""
    message = with_its_json_read((peek.text(error, "message") or "").strip())
    more = words_in(peek.at(error, "data"))
    if not more or more.lower() in message.lower():
        return elided(message)
    return f"{elided(message)} ({elided(more)})" if message else elided(more)


def with_its_json_read(message: str) -> str:
    """Return a message whose second half is the JSON of a validator's report, with the words of that in its place."""
    begin = re.search(r": ?([\[{]\s*[\[{\"])", message[:_MOST_EMPTY])
    words = words_in(peek.decoded(message[begin.start(1) :][:20_000])) if begin else ""
    return f"{message[: begin.start()]}: {words}" if begin and words else message


def states_no_reason(text: str) -> bool:
    """Whether a text about a failure says no more than that it is one."""
    text = text.strip()
    if len(text) > _MOST_EMPTY:
        return False
    head, colon, reason = text.partition(":")
    if colon and "\n" not in text and (reason.strip(" .") in _NOTHING or reason.strip().startswith("[object ")):
        return "=" not in head
    words = [each.strip(".-") for each in _WORD.findall(text.lower())]
    return all(_is_empty(words, at) for at in range(len(words)))


def _is_empty(words: list[str], at: int) -> bool:
    """Whether a word gives no reason, such as the name of the tool that was called, and “unknown” of an error."""
    if words[at] == "unknown":
        return words[at + 1 : at + 2] in (["error"], ["exception"], ["failure"])
    is_name = at > 1 and words[at - 1] == "tool" and words[at - 2] in _VERBS
    return words[at] in _EMPTY_WORDS or is_name


def words_in(value: Any) -> str:
    """Return the text of a cause in a value of any shape, one that adds to a status if possible; "" for none."""
    found = list(itertools.islice(_words(value, _DEPTH), _NAMED * 2))
    return next((each for each in found if not STATUS_ONLY.fullmatch(each)), found[0] if found else "")


def _words(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        text = value.strip()
        if text.startswith(("[", "{")) and depth and (inner := peek.decoded(text[:20_000])) is not None:
            yield from _words(inner, depth - 1)
        if text and not text.isdigit():
            yield elided(text.partition("\n")[0] if _STACK.search(text) else " ".join(text.split()))
    elif type(value) is dict and depth:
        value = {key[:1].lower() + key[1:]: each for key, each in value.items()} | value  # AWS and .NET: Message
        kind = cut(next((each for each in map(value.get, _KINDS) if type(each) is str and each), ""), 60)
        place = ".".join(str(each) for each in (peek.items(value, "path") or peek.items(value, "loc"))[:6])
        for name in _NAMES:
            for words in _words(value[name], depth - 1) if name in value else ():
                stated = f"{kind}: {words}" if kind and kind not in words else words
                yield f"{place}: {stated}" if place and place not in words else stated
        for name, each in value.items():
            if type(each) is dict and "error" in name.lower():  # in an envelope of its own, such as jsonRpcError
                yield from _words(each, depth - 1)
    elif type(value) is list and depth:
        for each in value[:3]:
            yield from _words(each, depth - 1)


def words_of_body(body: bytes) -> str:
    """Return the text of a cause in an HTTP error body: from JSON, a web page's title, or the first line of text."""
    text = body[:20_000].decode("utf-8", "replace").strip()
    if text.startswith("<"):
        return words_of_page(text)
    if text.startswith(("{", "[", '"')):
        value = peek.decoded(text[:20_000])
        path = peek.text(value, "path") if peek.text(value, "timestamp") and peek.integer(value, "status") else None
        return words_in(value) + (f" (an error page of Spring Boot, for {_plain(path)[:_MOST]})" if path else "")
    lines = text.splitlines()
    is_short = len(text) <= _MOST and _STACK.search(text) is None
    return ": ".join(filter(None, map(str.strip, lines))) if is_short else elided(_decisive(lines))


def _decisive(lines: list[str]) -> str:
    """Return the line that states a cause: the last of a Python traceback, else the first that names a failure."""
    stated = [each.strip() for each in lines[:200] if each.strip()]
    if value := next((each for each in stated if each.startswith(_OF_DJANGO)), ""):
        return value.removeprefix(_OF_DJANGO)
    if any(each.startswith("Traceback (most recent") for each in stated):
        return stated[-1]
    return next((each for each in stated if _DECISIVE.search(each[:500])), stated[0] if stated else "")


def words_of_page(text: str) -> str:
    """Return the title of a web page, and its first heading or paragraph that adds to it; "" without any of them."""
    found = _TITLE.search(text)
    title = _plain(found[1]) if found else ""
    paragraph = [_PARAGRAPH.search(text)] if STATUS_ONLY.fullmatch(title) else []
    stated = (_plain(_TAG.sub("", each[1]))[:_MOST] for each in (*paragraph, *_HEADING.finditer(text)) if each)
    more = next((each for each in stated if not STATUS_ONLY.fullmatch(each) and each not in title), "")
    found = None if title or more else _ELEMENT.search(text)  # XML has neither
    known = ": ".join(each for each in (title, more) if each)
    if found:
        return _plain(found[1])
    known = ": ".join(filter(None, (known, _cause_on_page(text, known))))
    texts = [words for each in _texts_of(text) if " " in (words := elided(_plain(each)))]
    return known or next((each for each in texts if not STATUS_ONLY.fullmatch(each)), texts[0] if texts else "")


def _texts_of(text: str) -> list[str]:
    """Return the texts between the tags of a page, as far as they are shown."""
    return _BETWEEN_TAGS.findall(_UNSEEN.sub("", text))


def _cause_on_page(text: str, known: str) -> str:
    """Return the first sentence of an error page that states a cause and is not known yet; "" if there is none."""
    for each in _texts_of(text):
        words = _plain(each).lstrip(":; ")
        if _CAUSE.search(words) and words not in known and "javascript" not in words.lower():
            return elided(words)
    return ""


def _plain(text: str) -> str:
    """Return text of a page with its entities decoded, on one line."""
    return " ".join(html.unescape(text).split())


# Secrets in foreign text


def secret_in(text: bytes) -> str:
    """Return the kind of secret in a text, for a sentence: "a GitHub token"; "" for none."""
    for begin, kind, rest in _SHAPES if _ANY_BEGINNING.search(text) else ():
        for at in _places(text, begin) if begin in text else ():
            behind_letter = begin[:1].isalpha() and at and text[at - 1 : at].isalnum()
            if not behind_letter and rest.match(text, at + len(begin)):
                return kind
    small = text.lower()
    for word in _WORDS if _ANY_WORD.search(small) else ():
        for at in _places(small, word) if word in small else ():
            found = _VALUE.match(text, at + len(word))
            if found is not None and _has_content(found.group(1)):
                return f"a value for {word.decode()}"
    return ""


def _places(text: bytes, word: bytes) -> list[int]:
    found: list[int] = []
    at = text.find(word)
    while at >= 0 and len(found) < _SECRETS_MOST:
        found.append(at)
        at = text.find(word, at + 1)
    return found


def _has_content(value: bytes) -> bool:
    return not _EMPTY.match(value) and any(48 <= byte <= 57 for byte in value) and not value.isdigit()
