"""Known causes in what programs write when they fail, and the most informative line if none is known."""

import itertools
import re
from pathlib import Path
from posixpath import basename
from typing import Any

from inspector.checks.foreign_text import elided, words_of_body
from inspector.checks.sayings import meaning, sayings
from inspector.protocol import peek
from inspector.text import cut

_TABLE = Path(__file__).with_suffix(".tsv")
_BACKENDS = Path(__file__).with_name("backends.tsv")
"""What a tool says of the service that it works with."""
_MOST_OF_ARGUMENT = 120
_MARKDOWN_HEADING = re.compile(r"\A\s*#{1,6} [^\n]*\n")
MOST_WORDS = 220
"""Maximum characters that are quoted."""

MIXED_UP = re.compile(r"_parse is not a function|reading '_(def|zod)'|_zod\b")
"""How a schema library fails whose version does not match the SDK."""

_NOISE = re.compile(
    r"\s*$|\s*at .+|\s+from .+|\s*[\]})(]+[,;]?$|\s*\^+\s*$|\s*#\d+ |\s*goroutine \d+|\s+\S+\.go:\d+|exit status \d+$"
    r"|(?:npm (?:error|ERR!) )?A complete log of this run|npm (?:error|ERR!)\s*$|note: run with|See '.+ --help'"
    r"|Node\.js v\d|\s*thrown in .+ on line|sys:1: |Stack trace:|\s*File \".+\", line \d+|Traceback \(most recent"
    r"|\s*(?:The above exception was |During handling of |(?:[\w.]+\.)?UnexpectedToolError: )"
    r"|\s*\.\.\. \d+ (?:more|common frames)|[-+|\s]+$|\s*name: '\w+'"
    r"|-+ Native stack trace|\s*\d+: 0x|<--- |\[\d+:0x|(?:For further information visit )?https?://\S+$"
    r"|\s*(?:errno|code|syscall|type|path): |Learn more:"
    r"|\s+(?:severity|routine|length|file|line): (?:'[^'\n]*'|\d+),?$"
    r"|\s*Read (?:about how|more)\b|\s*See the .{1,60} of the README\."
    r"|(?:\w+ ERROR )?(?:See|Run|Try|Use|Visit|Trust) .*\b(?:for more (?:information|details)\.?|--verbose\b.*)$"
    r"|(?:\[?\w{4,8}\b[^\]\s]{0,40}\]?:? )?(?:\d{1,2}[.)] (?:Run|Use|Try|See|Visit|Check|Make|Set|Go|Open|Add)\b"
    r"|(?:Recommended (?:actions?|steps)|Next steps|Troubleshooting|How to fix[^:\n]{0,20}|To fix this):$)"
)
"""Lines that never state a cause by themselves."""
_CAUSE_LINE = re.compile(r"\s{2,}(?:\d+: )?(\S.*)")
"""A line below “Caused by:”."""
_ONE_CAUSE = re.compile(r"\s+Caused by: (\S.*)")
_BRANCH = re.compile(r"\s*(×|├─▶|╰─▶) (\S.*)")
"""A failure, and the failures that caused it, as a tree."""
_BEGUN = re.compile(r"(?:error|Error): (\S.{1,120}?):?\s*$")
_MOST_CAUSES, _MOST_OF_HEAD, _MOST_OF_STACK = 6, 60, 120
_MEMBER = re.compile(
    r"\s{1,8}(input|hostname|host|address|url|status|statusCode|reason|detail|constraint|argument|dest): (.{1,200}?),?$"
)
"""A member of an exception, as Node prints it."""
_EMPTY = ("''", '""')
_STACK_LINE = re.compile(r"\s+at ")
_FOREIGN = r"(?![^\"()\n]*(?:site-packages|dist-packages|node_modules|/lib/python\d|\\Lib\\|<frozen|node:))"
_OF_AUTHOR = re.compile(
    rf'^\s*File "{_FOREIGN}([^"\n]+)", line (\d+)|^\s+at (?:[^(\n]*\()?(?:file://)?{_FOREIGN}(/[^():\n]+):(\d+):\d+'
    rf"|^(?:file://)?{_FOREIGN}(/[^:\n]+):(\d+)$"
)
"""A frame of a stack, of Python or Node, that is not in a package or the standard library."""
_BARE = re.compile(r"(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)")
"""An exception that has no message."""
_READS_VARIABLE = re.compile(
    r"(?:environ(?:\.get)?[(\[]|getenv\()\s*[\"']([A-Z][A-Z0-9_]+)[\"']|process\.env(?:\.|\[[\"'])([A-Z][A-Z0-9_]+)"
)
_OF_PACKAGE = re.compile(
    r"^(?:\s+at .*|\s*File \".*|(?:file://)?/[^:\n]*)(?:node|site)[_-](?:modules|packages)/((?:@[^/\s]+/)?[^/\s]+)/"
)
"""A frame of a stack in a package."""
_MOST_BEHIND = 25
"""Maximum lines after an exception's message in which its members are searched."""
_GO_FRAME = re.compile(r"^(?!panic\(|runtime\.)(\S{1,200})\([^()\n]{0,200}\)\n\t(\S{1,300}\.go:\d+)", re.MULTILINE)
_MEMBERS_OF_REPORT = re.compile(r"^(\S[^\n]*)\n\s+(\S[^\n]*?) \[type=", re.MULTILINE)
_LAID_OUT = re.compile(r"\s{2,}(?:[\w\\]{0,100}?(\w+(?:Error|Exception))|In (\S{1,100} line \d+):)\s*$")
"""The head of an exception as Laravel and Symfony lay it out: a line of its own, and its message indented below."""
_OF_RICH = re.compile(
    r"((?:\[[^\]\n]{5,25}\]|\s{10})\s{1,30}(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\s{1,8}|\s{18,99}(?=\w+Error: ))"
    r"(\S.*?)(?:\s{2,}\S+\.py:\d+)?\s*$"
)
_WRAPPED = re.compile(r"\s{18,}(?!(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\s)\S")
"""A log record or an exception as rich prints it, and a line that continues one."""
_RECORD = re.compile(r'\{.{0,400}?"(?:level|severity)": ?"(\w{3,9})".*\}\s*$')
"""A log record in JSON, and its level."""
_FRAME = "│╭╮╰╯─┌┐└┘ "
"""Characters of the boxes that rich draws."""
_OF_NPM = re.compile(r"^npm (?:error|ERR!) ")
"""Prefix of each line of a failure of npm: it makes none of them the cause."""
_IN_A_GROUP = re.compile(r"^[ |+]*\| (?=\S)")
"""Prefix that Python prints before the lines of an exception group."""
HEADS = re.compile(
    r"^(?:\S{1,60}: |\[\S{1,40}\] |Caused by: |Exception in thread \"[^\"\n]{1,60}\" )?"
    r"(?:Unhandled [Ee]xception[.:]? |Uncaught |error: Uncaught \(in promise\) |"
    r"Fatal error: )?"
    r"(?:[\w.$]*(?:Error|Exception|Exit|Timeout|PromiseRejection)"
    r"\b[^\n]{0,40}?: |FATAL\b|fatal(?: error)?: |PHP Fatal error)"
    r"|^\S{1,200}:\d+:in [`'][^'\n]{0,100}': [^\n]+ \([\w:]*(?:Error|Exception)\)|^APPLICATION FAILED TO START$"
    r"|^\*\* \([\w.]+\) \S"
)
"""The beginning of an exception's message."""
TRAP = re.compile(r"^(?:\S{1,200}:\d+: )?Fatal error: ")
"""How Swift reports a failed check that ends a program (“Server.swift:31: Fatal error: …”).

A long backtrace may follow.
"""
_BAD = re.compile(
    r"(?i)\b(?:error|critical|fatal|failed|failure|cannot|can't|could not|couldn't|unable to|denied|refused|not found|"
    r"no such|missing|invalid|required|must be|not set|unsupported|(?:is|are|was|were) not|no \w+ is set)\b"
)
_BROWSER = re.compile(r"(?i)chrom|firefox|webkit|msedge")
_SPAWNED = re.compile(
    r"\bspawn (\S{1,200}) ENOENT\b|\b(?:ba|z|da)?sh: (?:line )?(?:\d+: )?([\w.+-]{1,60}): (?:command )?not found"
    r"|\[Errno 2\] No such file or directory: '(ff(?:mpeg|probe)|git|gh|node|np[mx]|uvx?|docker|kubectl|java|pandoc|adb"
    r"|rg|tesseract|soffice|yt-dlp|pdfto\w+|psql|aws|gcloud|az|terraform|go|cargo|make|gcc)'"
    r"|'([\w.+-]{1,60})' is not recognized as an internal or external command"
)
"""How a program that is missing is reported. Python says the same of a file: only known programs count there."""
_OF_BROWSERS = "the browser {} is not installed"
"""The meaning of a row of the table, which is also true of what a tool says."""


def _java(found: re.Match[str]) -> str:
    is_told = f", which is {int(found[2]) - 44}" if found[2] else ""
    needed = f"it was compiled for Java {int(found[1]) - 44} (class file version {found[1]})"
    return f"{needed}, newer than the Java found{is_told}"


def _not_loaded(found: re.Match[str]) -> str:
    return f"the native module {found[1]} cannot be loaded: {elided(found[2], MOST_WORDS)}"


def _panic(found: re.Match[str]) -> str:
    *places, words = found.groups()
    place = "".join(f" ({basename(each)})" for each in places if each)
    return f"it panicked{place}: {elided(' '.join(words.split()), MOST_WORDS)}"


def _go_panic(found: re.Match[str]) -> str:
    frame = _GO_FRAME.search(found.string, found.end())
    return _panic(found) + (f", in {basename(frame[1])} ({basename(frame[2])})" if frame else "")


def _report(found: re.Match[str]) -> str:
    """Return what pydantic says of each member: its name, and below it the message."""
    named = _MEMBERS_OF_REPORT.findall(found.string[found.end() : found.end() + 4000])
    return f"{found[1]} is not valid: " + elided("; ".join(f"{name}: {words}" for name, words in named), MOST_WORDS)


def _npm(found: re.Match[str]) -> str:
    code, where = found[1], re.search(r"https?://([\w.-]+)", found[0])
    host = where[1] if where else "the npm registry"
    if "CERT" in code or "SIGNATURE" in code:
        return f"npm does not trust the certificate of {host} ({code})"
    if code in ("E401", "E403"):
        return f"npm is not allowed to fetch the package from {host} ({code})"
    return f"npm cannot reach {host} ({code})"


def _package(path: str) -> str:
    """Return the package that a file belongs to; the path itself outside of node_modules."""
    inside = path.rpartition("node_modules/")[2] if "node_modules/" in path else ""
    names = inside.split("/")[: 2 if inside.startswith("@") else 1]
    return "/".join(names) if inside else path[-80:]


def _not_built(found: re.Match[str]) -> str:
    return f"{found[1] or found[2]} cannot be built: {cut(found[3].strip(), 120)}"


def _body(found: re.Match[str]) -> str:
    """Return the reason in a body that was not expected there."""
    return f"a server that it talks to answers: {words_of_body(found[1].encode())}"


def _es_module(found: re.Match[str]) -> str:
    return f"{_package(found[2])} requires {_package(found[1])}, which is an ES module (ERR_REQUIRE_ESM)"


def _not_utf_8(found: re.Match[str]) -> str:
    codec = "the code page of Windows" if found[1] == "charmap" else found[1]
    return f"it writes text as {codec} instead of UTF-8, which has no {found[2]} (UnicodeEncodeError)"


def _glibc(found: re.Match[str]) -> str:
    """Return the newest version that is missing: the loader names all."""
    named = {each[1] for each in found.re.finditer(found.string)}
    newest = max(named, key=lambda name: [int(part) for part in name.partition("_")[2].split(".") if part])
    return f"it needs {newest}, but the C library of this system is older"


_FUNCTIONS = {
    f"={each.__name__[1:]}": each
    for each in (
        *(_body, _es_module, _glibc, _go_panic, _java, _not_built, _not_loaded, _not_utf_8, _npm, _panic),
        _report,
    )
}
"""By the name that the table has in place of a sentence."""


def known_cause(newest: list[tuple[int, str]]) -> tuple[int, str, str] | None:
    """Return a cause in the newest lines: entry, sentence, and fix; None if none is known."""
    lines = [(at, line[:2000]) for at, line in reversed(_unboxed(newest))]
    text = "\n".join(line for _, line in lines)
    for pattern, means, fix in sayings(_TABLE):
        for found in pattern.finditer(text):
            row = text.count("\n", 0, found.start())
            named = _FUNCTIONS.get(means)
            sentence = meaning(means, found) if named is None else named(found)
            return lines[min(row, len(lines) - 1)][0], sentence, fix
    return None


def telling_line(newest: list[tuple[int, str]]) -> tuple[int, str, bool] | None:
    """Return the most informative line: entry, text, and whether it is about a failure; None if there is no text.

    That is the newest beginning of an exception, else the newest line about a failure, else any other.
    """
    newest = unwrapped(newest)
    if (chain := _chain(newest)) is not None:
        return chain
    stripped = ((place, at, line.strip()) for place, (at, line) in enumerate(newest) if not _NOISE.match(line))
    words = [(place, at, line.removeprefix("[cause]: ")) for place, at, line in stripped]
    for kind in (HEADS, _BAD):
        for n, (place, at, line) in enumerate(words):
            if kind.search(_OF_NPM.sub("", line[:2000])):
                is_open = n > 0 and line.endswith(":") and words[n - 1][0] == place - 1
                below = f" {_OF_NPM.sub('', words[n - 1][2])}" if is_open else ""  # such as the missing arguments
                return at, elided(line + below, MOST_WORDS) + _members(newest[:place], line), True
    anything = words or [(0, at, line.strip()) for at, line in newest if line.strip()]
    return (anything[0][1], elided(anything[0][2], MOST_WORDS), False) if anything else None


def error_of_tool(result: Any) -> str:
    """Return the text of a tool's error in one line: of an exception with its stack, the line that states it."""
    texts = (peek.text(block, "text") for block in peek.items(result, "content"))
    lines = _MARKDOWN_HEADING.sub("", next(filter(None, texts), "")[: 100 * MOST_WORDS]).splitlines()
    words = " ".join(" ".join(lines).split())
    if "Traceback (most recent" in words:
        words = (telling_line([(0, line) for line in reversed(lines)]) or ("", words))[1]
    return cut(words, 200) or "isError without a message"


def line_about(newest: list[tuple[int, str]], given: list[str], words: str) -> str:
    """Return the newest other line about a failure that names one of these arguments; "" if `words` do already."""
    if not given or any(each in words for each in given):
        return ""
    lines = (line.strip() for _, line in newest if not _NOISE.match(line) and _BAD.search(line[:2000]))
    return next((elided(line, _MOST_OF_ARGUMENT) for line in lines if any(each in line for each in given)), "")


def unwrapped(newest: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return lines without boxes and prefixes of exception groups, and records that rich has wrapped as one line."""
    lines = _with_heads([(at, _IN_A_GROUP.sub("", line)) for at, line in _unboxed(newest)])
    return [(at, _with_code(line, lines[n + 1 : n + _MOST_OF_STACK])) for n, (at, line) in enumerate(lines)]


def _with_code(line: str, older: list[tuple[int, str]]) -> str:
    """Return what a record in JSON says, or a bare name of an exception with the author's code that raised it."""
    if (record := _RECORD.match(line)) is not None and (words := words_of_body(line.encode())):
        return f"{record[1].lower()}: {words}"
    if not _BARE.fullmatch(line):
        return line
    stack = [*itertools.takewhile(lambda each: not each.startswith("Traceback"), (each for _, each in older))]
    frame = next((n for n, each in enumerate(stack) if _OF_AUTHOR.search(each)), 0)
    code = next((each.strip() for each in reversed(stack[max(0, frame - 2) : frame]) if each.startswith("    ")), "")
    return f"{line}: {code[:_MOST_OF_ARGUMENT]}" if code else line


def _unboxed(newest: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return lines without the boxes that rich draws around them; what one of them wraps is one line."""
    lines: list[tuple[int, str]] = []
    sides = ""
    for at, line in newest:
        words, text = line.strip(_FRAME), line.strip()
        before = text[: text.index(words)] if words and text.startswith("│") else ""
        if before and before == sides:
            lines[-1] = (at, f"{words} {lines[-1][1]}")
        elif words or not text:
            lines.append((at, words if before else line))
        sides = before
    return lines


def _with_heads(newest: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Put the head of an exception that is laid out before its message, and join lines that rich has wrapped."""
    lines: list[tuple[int, str]] = []
    for at, line in (each for each in reversed(newest) if each[1].strip()):
        if lines and _WRAPPED.match(line) and not _NOISE.match(line) and (begun := _OF_RICH.match(lines[-1][1])):
            lines[-1] = (lines[-1][0], f"{begun[1]}{begun[2].rstrip()} {line.strip()}")
        else:
            lines.append((at, line))
    lines.reverse()
    for n in range(len(lines) - 1, 0, -1):
        if (head := _LAID_OUT.match(lines[n][1])) and lines[n - 1][1].startswith("  "):
            lines[n - 1] = (lines[n - 1][0], f"{head[1] or f'Exception in {head[2]}'}: {lines[n - 1][1].strip()}")
    return lines


def place_of(newest: list[tuple[int, str]], at: int) -> str:
    """Return file and line of the author's code in the stack of the exception at an entry; "" if it shows none.

    If that line reads a variable of the environment, its value is suspect.
    """
    lines = [line for _, line in newest]
    here = next((n for n, (entry, _) in enumerate(newest) if entry == at), 0)
    traced = itertools.takewhile(lambda line: not line.startswith("Traceback"), lines[here : here + _MOST_OF_STACK])
    below = itertools.takewhile(_STACK_LINE.match, reversed(lines[max(0, here - _MOST_OF_STACK) : here]))
    stack = [*traced, *below]
    for n, found in enumerate(map(_OF_AUTHOR.search, stack)):
        if found is None:
            continue
        path, number = filter(None, found.groups())
        read = _READS_VARIABLE.search("\n".join(stack[max(0, n - 2) : n]))  # the line of code, and what underlines it
        return (
            f"{cut(path.rpartition('/')[2], 60)}, line {number}{f', which reads {read[1] or read[2]}' if read else ''}"
        )
    inner = next(filter(None, map(_OF_PACKAGE.search, stack)), None)
    return f"in {inner[1]}" if inner and inner[1] not in lines[here] else ""


def oldest_failure(newest: list[tuple[int, str]]) -> tuple[int, str] | None:
    """Return the first line about a failure: where a server continues, later ones are mostly consequences."""
    lines = ((at, line.strip()) for at, line in reversed(newest) if not _NOISE.match(line))
    return next(((at, line) for at, line in lines if HEADS.match(line) or _BAD.search(line[:2000])), None)


def _members(after: list[tuple[int, str]], line: str) -> str:
    """Return what Node prints of an exception beside its message, such as the input; `after` is newest first."""
    found = [match for _, each in after[: -_MOST_BEHIND - 1 : -1] if (match := _MEMBER.match(each))]
    named = [
        f"{each[1]}: {cut(each[2], 60)}" for each in found if each[2].strip("'\"") not in line or each[2] in _EMPTY
    ]
    return f" ({', '.join(named[:2])})" if named else ""


def _chain(newest: list[tuple[int, str]]) -> tuple[int, str, bool] | None:
    """Return an error with its innermost cause, as programs in Rust print it; None if there is no such chain."""
    lines = newest[::-1]
    last = next((n for n in range(len(lines) - 1, -1, -1) if lines[n][1].strip()), -1)
    if last > 0 and all(_ONE_CAUSE.match(lines[n][1]) for n in (last, last - 1)):  # of uv, a line for each
        named = (_ONE_CAUSE.match(line) for _, line in lines[max(0, last - _MOST_CAUSES) : last + 1])
        words = [each[1].strip() for each in named if each]
        return lines[last][0], elided(f"{words[0]}: {words[-1]}", MOST_WORDS), True
    for n in range(last, max(0, last - _MOST_CAUSES), -1):  # one, and below it what it is about
        if (one := _ONE_CAUSE.match(lines[n][1])) and (begun := _BEGUN.match(lines[n - 1][1])):
            return lines[n][0], elided(f"{begun[1]}: {one[1].strip()}", MOST_WORDS), True
    tree = [(at, found) for at, line in lines if (found := _BRANCH.match(line))]
    if len(tree) > 2 and "".join(found[1] for _, found in tree).endswith("├─▶╰─▶"):
        head = next((found[2] for _, found in reversed(tree) if found[1] == "×"), "it failed")
        return tree[-1][0], elided(f"{head[: 2 * _MOST_OF_HEAD]}: {tree[-1][1][2]}", MOST_WORDS), True
    for at in range(len(lines) - 2, 0, -1):
        if lines[at][1].rstrip() != "Caused by:":
            continue
        del lines[at + 1 : next((n for n in range(at + 1, len(lines)) if lines[n][1].strip()), at + 1)]
        head = next(((n, line.strip()) for n, line in lines[at - 1 :: -1] if line.strip()), None)
        causes: list[str] = []
        for _, line in lines[at + 1 :]:
            if not (cause := _CAUSE_LINE.match(line)):
                break
            causes.append(cause[1].strip())
        if head is not None and causes and causes[-1] in head[1]:
            return head[0], elided(causes[-1], MOST_WORDS), True
        if head is not None and causes:
            return head[0], elided(f"{head[1][:_MOST_OF_HEAD]}: {causes[-1]}", MOST_WORDS), True
    return None


def missing_program(text: str) -> tuple[str, str] | None:
    """Return the browser or program that a text says is missing, and a fix for a browser; None if it names none."""
    browsers, fix = next((pattern, fix) for pattern, means, fix in sayings(_TABLE) if means == _OF_BROWSERS)
    if found := browsers.search(text[:4000]) or _SPAWNED.search(text[:4000]):
        program = next(group for group in found.groups() if group)
        return program, fix if _BROWSER.search(program) else ""
    return None


def backend_fault(text: str) -> tuple[str, str] | None:
    """Return what a text says of a service that a tool works with, and a fix; None if it names none."""
    for pattern, sentence, fix in sayings(_BACKENDS):
        if found := pattern.search(text[:4000]):
            return meaning(sentence, found), fix
    return None
