"""Merges what the tools of a server have in common: a habit of its framework is one finding."""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from inspector.checks.findings import Finding

FEW: Final = 3
"""From this number of tools on, the same finding is one about the server."""
_NAMED: Final = 4
"""Maximum number of other tools that a sentence names."""
_OWN = re.compile(r"'[^']{0,200}'|`[^`]{0,200}`|\"[^\"]{0,200}\"|\d[\d,.]{0,30}")
"""What differs although the habit is the same: quoted names and values, numbers."""
_TELLS: Final = 70
"""Characters of a quotation that are compared: it is cut, at another place if it has the name of the tool."""
_SEEN = re.compile(r" \(so do(?:es)? [^)]{0,60}\)$")


def of_many_tools(found: Sequence[Finding], names: Sequence[str]) -> list[Finding]:
    """Merge the findings that differ only in the tool and the argument. `names`: the tool of each finding."""
    alike: dict[tuple[str, str, str], list[int]] = {}
    for at, (each, name) in enumerate(zip(found, names, strict=True)):
        own = _SEEN.sub("", each.sentence.removeprefix(f"{name}: "))
        for before in " [." if len(name) > 2 else "":
            own = own.replace(before + name, before + "*")
        head, _, quote = _OWN.sub("*", own).partition(": ")
        alike.setdefault((each.id, head, quote[:_TELLS]), []).append(at)
    kept: dict[int, Finding] = {}
    for places in alike.values():
        others = list(dict.fromkeys(names[at] for at in places if names[at] != names[places[0]]))
        if len(others) < FEW - 1:
            kept |= {at: found[at] for at in places}
            continue
        first = found[places[0]]
        more = ", …" if len(others) > _NAMED else ""
        sentence = f"{first.sentence}, and the same of {len(others)} other tools: {', '.join(others[:_NAMED])}{more}"
        count = sum(found[at].count for at in places)
        kept[places[0]] = msgspec.structs.replace(first, sentence=sentence, count=count)
    return [kept[at] for at in sorted(kept)]
