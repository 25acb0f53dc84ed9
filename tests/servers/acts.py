r"""Five hundred texts that act on a terminal, a widget's markup or a reader's eyes, and how a leak of them is known.

Each text begins and ends with its number (`x17x`), so that a test can tell which of them were seen; whatever it
sends to a terminal has MARK in it. This module uses nothing of the project: it must not share a mistake with it.
"""

import re
import unicodedata
from functools import cache
from itertools import cycle
from typing import Final

COUNT: Final = 500
MARK: Final = "7331"
"""A number that nobody else sends as a parameter, a mode or a colour."""

_SEQUENCES: Final = (
    *(f"\x1b[{MARK}m", f"\x1b[38;5;{MARK}m", f"\x1b[2;{MARK}H", f"\x1b[{MARK}J", f"\x1b[?{MARK}h", f"\x1b[?{MARK}l"),
    *(f"\x1b[>{MARK}u", f"\x1b[{MARK};1t", f"\x1b[{MARK}n", f"\x1b[{MARK}@", f"\x1b[{MARK}!p", f"\x1b[{MARK} q"),
    *(
        f"\x1b]0;{MARK}\x07",
        f"\x1b]2;{MARK}\x1b\\",
        f"\x1b]52;c;{MARK}\x07",
        f"\x1b]8;;file:///{MARK}\x1b\\L\x1b]8;;\x1b\\",
    ),
    *(f"\x1b]1337;File={MARK}\x07", f"\x1b]0;{MARK}", f"\x1b]{MARK}", f"\x1b]4;1;rgb:{MARK}\x07", f"\x1b]9;{MARK}\x9c"),
    *(f"\x1bP{MARK}q\x1b\\", f"\x1bP+q{MARK}\x1b\\", f"\x1b_G{MARK}\x1b\\", f"\x1b^{MARK}\x1b\\", f"\x1bX{MARK}\x1b\\"),
    *(
        f"\x1bc{MARK}",
        f"\x1b7{MARK}",
        f"\x1b#8{MARK}",
        f"\x1b(0{MARK}",
        f"\x1bN{MARK}",
        f"\x1b={MARK}",
        f"\x1b\x1b[{MARK}m",
    ),
    *(
        f"\x9b{MARK}m",
        f"\x9d0;{MARK}\x9c",
        f"\x90{MARK}\x9c",
        f"\x9f{MARK}\x9c",
        f"\x9e{MARK}\x9c",
        f"\x85{MARK}",
        f"\x8d{MARK}",
    ),
    *(f"\x1b[\x1b]0;{MARK}\x07", f"\x1b[{MARK}\r\n\x1b[{MARK}m", f"\x1b[{MARK}", "\x1b", f"\x1b[200~{MARK}\x1b[201~"),
)
_CHARACTERS: Final = (
    *(
        "\x07",
        "\x08\x08\x08",
        "\x00",
        "\x0b",
        "\x0c",
        "\x0e",
        "\x0f",
        "\x7f",
        "\r",
        "\x1a",
        "\x05",
        "\x80",
        "\x9c",
        "\t",
    ),
    *(
        "\u202etxt.exe\u202c",
        "\u2066x\u2069",
        "\u200e\u200f\u061c",
        "\u202a\u202b\u202d",
        "\u2067\u2068",
        "\u200b\u200c",
    ),
    *(
        "\u200d\u2060\ufeff",
        "\u00ad",
        "\u2061\u2062\u2063\u2064",
        "\u206a\u206f",
        "\ufff9a\ufffab\ufffb",
        "\u2028",
        "\u2029",
    ),
    *(
        "\U000e0041\U000e0042\U000e007f",
        "\U000e0001",
        "\ufe00\ufe0f",
        "\U000e0100\U000e01ef",
        "\u3164\u115f\uffa0",
        "\u2800",
    ),
    *(
        "\ud83d",
        "\udc00\udbff",
        "a\u0301" + "\u0336" * 90,
        "\u0e47" * 40,
        "\U0001f468\u200d\U0001f469",
        "\ufffe\uffff",
        "\u180e",
    ),
)
_MARKUP: Final = (
    *(
        "[bold red]M[/]",
        "[@click=app.quit]C[/]",
        "[@click=app.bell()]C[/]",
        "[link=file:///x]L[/link]",
        "[link='x']L[/]",
    ),
    *("[/", "[", "]", "\\[", "[/]", "[/nothing]", "[$error]", "[on red", "[#ff0000]", "[not a style]", "$text", "${x}"),
    *("%s%n", "{0}{x}{", ":skull:", "`rm -rf`", "$(reboot)", "'; --", "<b>&lt;", "javascript:alert(1)", "../../../etc"),
)
KINDS: Final = (*_SEQUENCES, *_CHARACTERS, *_MARKUP)
_FRAMES: Final = ("{0}", "a{0}b", "{0}{0}", "two words {0}", "漢字{0}", "{0} " + "long " * 12, "[{0}", "{0}\\")


def texts(count: int = COUNT) -> tuple[str, ...]:
    """The texts, always the same: every kind alone first, then each in other company."""
    kinds = cycle(KINDS)
    return tuple(
        f"x{n}x{_FRAMES[n // len(KINDS) % len(_FRAMES)].replace('{0}', next(kinds))}x{n}x" for n in range(count)
    )


_OURS = re.compile(
    r"\x1b\[\?2026l\x07|\x1b\[[0-9;:]*m|\x1b\[\d*;?\d*H|\x1b\[\d*K\r?|\x1b\[\d*[ABCDGJd]|\x1b\[\?[0-9;]+[hl]"
    r"|\x1b\[\?[0-9;]+\$p|\x1b\[[<>=]?[0-9;]*u|\x1b\[c|\x1b\[\?u|\x1b\[>\d*[cq]|\x1b\[1[468]t|\x1b\[\d* q|\x1b\[6n"
    r"|\x1b\]52;c;[A-Za-z0-9+/=]*\x07|\x1b_Gi=[^\x1b]*\x1b\\|\x1b[78=>](?!7331)|\x1b\]22;[a-z]*\x07|\r+(?=\n)|(?:(?<=\n)|^)\r"
)
"""What Textual and we write to a terminal on purpose. Everything else that begins with ESC is somebody else's."""
_ODD = re.compile("[^\x20-\x7e\n]")
_HEAP = re.compile("[\u0300-\u036f\u0e47]{8,}")
"""Marks that cover the lines above."""
_EMPTY = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


def leaks(written: bytes) -> list[str]:
    """Each place where what was written to a terminal acts, hides or turns the direction, with its neighbours."""
    text = written.decode("utf-8", "surrogateescape")
    rest = _OURS.sub(lambda found: found.group() if MARK in found.group() else "", text)
    places = [found.start() for found in _ODD.finditer(rest) if _acts(found.group())]
    places += [found.start() for found in _HEAP.finditer(rest)]
    return [rest[max(0, at - 20) : at + 30] for at in places]


@cache
def _acts(char: str) -> bool:
    if char.isascii():
        return (char < " " and char != "\n") or char == "\x7f"
    if char in _EMPTY or "\ufe00" <= char <= "\ufe0f" or "\U000e0000" <= char <= "\U000e01ef":
        return True
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn", "Co")


def seen(written: bytes) -> set[int]:
    """The numbers of the texts of which something stands in what was written."""
    return {int(number) for number in re.findall(rb"x(\d{1,3})x", written)}
