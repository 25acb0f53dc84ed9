"""What a response should not show: paths of the server's machine, stack traces, values of secrets."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from inspector.features.probe.plan import ProbeCall
from inspector.features.probe.responses import MAX_SEARCHED_CHARS
from inspector.features.probe.words import words
from inspector.protocol.credentials import is_credential
from inspector.text import cut

_TRACEBACK = words("traceback")
_OF_A_PROGRAM = re.compile(r", line \d+, in <module>|File \"<\w+>\", line|\[eval\]|evalmachine\.<anonymous>")
"""A frame of a program that the tool runs, which is its result: a handler is a function."""
_WORD = re.compile(r"[^\s\"']+")
_VENDORED = re.compile(r"/(?:site-packages|node_modules)/")
_PLACE = re.compile(r"(?<![\w.-])/(?:home|Users)/[^/]+/|/roo[t]/|/(?:usr|opt)/(?:local/)?lib/|[A-Za-z]:\\\\?Users\\\\?")
_SOURCE = re.compile(
    r"(?:/[\w.@+-]{1,80}){2,20}\.(?:py|js|cjs|mjs|ts|go|rs|java|rb|php|cs|ya?ml|toml|ini|env)\b(?::\d+)?"
)
"""An absolute path of a source file or of settings."""
_OF_A_MOMENT = ("/tmp/", "/var/tmp/", "/var/folders/")
"""Where files are that a tool writes for one call."""
_IS_FILE = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w@ ./\\-]{1,200}\.\w{1,5}")
"""A variable such as GOOGLE_APPLICATION_CREDENTIALS names the file of a secret, and has none."""
_HOME = re.compile(r"/(?:home|Users)/[^/]+/")
_SHORTEST_SECRET: Final = 8


class Leaks(NamedTuple):
    """What a response should not have."""

    secrets: Mapping[str, str]
    is_example: Callable[[str], bool]
    """Whether a path does not show anything about the server's machine."""


def leaked(call: ProbeCall, text: str, leaks: Leaks, *, is_error: bool) -> Iterator[tuple[str, str]]:
    """Yield check and sentence for what the text of a response shows. `is_error`: whether paths in it are judged."""
    if _TRACEBACK.search(text):
        if not _OF_A_PROGRAM.search(text):
            yield "response-has-traceback", f"the response has a stack trace if {call.condition}"
    else:
        sent = msgspec.json.encode(call.arguments).decode()
        sources = (found.group() for found in _SOURCE.finditer(text[:MAX_SEARCHED_CHARS]))
        paths = (*paths_in(text), *sources) if is_error else ()  # a result may be about files
        own = (path for path in paths if path not in sent and not path.startswith(_OF_A_MOMENT))
        if path := next((path for path in own if not leaks.is_example(path)), ""):
            yield "response-has-path", f"the response has {cut(path, 80)!r} if {call.condition}"
    for name, value in leaks.secrets.items():
        if is_credential(name) and len(value) >= _SHORTEST_SECRET and value in text and not _IS_FILE.fullmatch(value):
            yield "response-has-secret", f"the response has the value of {name} if {call.condition}"


def paths_in(text: str) -> Iterator[str]:
    """Yield the paths in a text that name a user, a system directory or installed code."""
    for word in _WORD.findall(text):
        word = word.rpartition("\\n")[2]  # of a text inside JSON
        if _VENDORED.search(word):
            yield word
        elif found := _PLACE.search(word):
            yield word[found.start() :].partition(":/")[0]  # the first of a list such as PATH


def is_home_here(path: str) -> bool:
    """Return whether a path may be real: it is not in a home directory, or that exists on this machine."""
    home = _HOME.match(path)
    return home is None or os.path.isdir(home.group())
