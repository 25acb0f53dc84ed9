"""The extensions that both sides have declared, with what is known of their names: what is negotiated, what is not."""

from typing import Any

from inspector.protocol.extensions import Negotiated, negotiated
from inspector.protocol.jsonrpc import encode
from inspector.protocol.revisions.openings import Opening
from inspector.viewmodels import text
from inspector.viewmodels.lines import Fact, Section, fact

TITLE = "Extensions"
_SIDES = {
    (True, True): "both sides",
    (True, False): "the server only",
    (False, True): "we only",
}


def extensions_section(opening: Opening) -> Section:
    """A fact an extension, and one for what it means; empty if nobody has declared any."""
    found = negotiated(opening.capabilities, opening.client_capabilities)
    return Section(TITLE, tuple(each for extension in found for each in _facts(extension)))


def _facts(extension: Negotiated) -> list[Fact]:
    by = _SIDES[extension.by_server, extension.by_us]
    settings = [
        f"{who} {_shown(value)}" for who, value in (("server", extension.theirs), ("we", extension.ours)) if value
    ]
    said = f"{by}: {'; '.join(settings)}" if settings else by
    facts = [fact(extension.name, said, "text" if extension.by_server else "muted")]
    return [*facts, Fact("", extension.meaning, "faint")] if extension.meaning else facts


def _shown(value: Any) -> str:
    return text.decode(encode(value))[:500]
