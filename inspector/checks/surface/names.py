"""What becomes of a tool's name once a program has put its server's name before it. Pure.

A program that has several servers must tell their tools apart, and the model's API takes only short and plain names:
so each has a way to join, to replace and to cut.
"""

import re
from enum import StrEnum
from functools import lru_cache

import msgspec


class TooLong(StrEnum):
    """What is done with a name that does not fit."""

    CUT = "cut"
    """Its end goes."""
    MIDDLE = "middle"
    """Its middle goes."""
    HASH = "hash"
    """Its end is replaced by a hash."""
    NOTHING = "nothing"
    """It is used all the same, or the tool is left out; the pack says which."""


class Naming(msgspec.Struct, frozen=True):
    """How one program names tools before a model."""

    template: str
    """“mcp__{server}__{tool}”."""
    longest: int
    """Characters; 0 if nobody knows."""
    too_long: TooLong = TooLong.NOTHING
    replaced: str = ""
    """The characters that become an underscore, as the inside of a character class; "" for none."""
    longest_server: int = 0
    """To how many characters what stands before the tool's name is cut; 0 for none."""


class Shown(msgspec.Struct, frozen=True):
    """A tool's name as a model sees it."""

    name: str
    joined: int
    """Its length before anything was cut."""
    is_too_long: bool


def shown_name(naming: Naming, server: str, tool: str) -> Shown:
    """What a model sees of a tool of a server that is configured under a name."""
    before, _, behind = naming.template.partition("{tool}")
    prefix = before.replace("{server}", server)
    if naming.longest_server and len(prefix) > naming.longest_server:
        prefix = prefix[: naming.longest_server - 1] + "_"
    joined = f"{prefix}{tool}{behind}"
    if naming.replaced:
        joined = _replacing(naming.replaced).sub("_", joined)
    fits = not naming.longest or len(joined) <= naming.longest
    return Shown(joined if fits else _cut(naming, joined), len(joined), not fits)


def _cut(naming: Naming, name: str) -> str:
    match naming.too_long:
        case TooLong.CUT:
            return name[: naming.longest]
        case TooLong.MIDDLE:
            half = (naming.longest - 3) // 2
            return f"{name[:half]}...{name[-half:]}"
        case TooLong.HASH:
            return f"{name[: naming.longest - 13]}_{'#' * 12}"
    return name


@lru_cache(maxsize=32)
def _replacing(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}]")
