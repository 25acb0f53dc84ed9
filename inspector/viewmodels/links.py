"""A link that a server wants opened: where it really leads, and whether it may be opened at all.

Only http and https are ever opened, and only a URL in which a browser and this file see the same host. The host is
told in punycode, which no letter of another alphabet can imitate.
"""

from dataclasses import dataclass
from urllib.parse import quote, urlsplit, urlunsplit

from inspector.viewmodels import text
from inspector.viewmodels.lines import Fact, Section, fact

_LONGEST = 8000
_KEPT = "%/:=&?#+!$,;'@()*[]~"


@dataclass(frozen=True, slots=True)
class Link:
    """What is to be known before a link is opened."""

    url: str
    """As it came: foreign text."""
    host: str
    """In punycode, with the port if there is one; "" if it has none."""
    why_not: str = ""
    """Why it is not opened; "" if it may be."""
    warnings: tuple[str, ...] = ()

    @property
    def openable(self) -> str:
        """The URL in ASCII, for a browser; "" if it may not be opened."""
        if self.why_not:
            return ""
        parts = urlsplit(self.url)
        rest = [quote(part, safe=_KEPT) for part in (parts.path, parts.query, parts.fragment)]
        return urlunsplit((parts.scheme, self.host, *rest))


def read_link(url: str) -> Link:
    """Look at a URL. Nothing is resolved and nothing fetched."""
    if why_not := _unreadable(url):
        return Link(url, "", why_not)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        return Link(url, "", f"it is no valid URL: {text.visible(str(error), limit=200)}")
    if parts.scheme.lower() not in ("http", "https"):
        named = text.visible(parts.scheme, limit=40)
        return Link(url, "", f"only http and https are opened, and this is {named or 'neither'}")
    ascii_host = _punycode(host)
    if not ascii_host:
        return Link(url, "", "it names no host that can be written down")
    shown = f"[{ascii_host}]" if ":" in ascii_host else ascii_host
    return Link(url, shown if port is None else f"{shown}:{port}", "", tuple(_warnings(url, host, ascii_host)))


def link_section(link: Link) -> Section:
    """The whole URL, its host, and what to beware of."""
    facts = [fact("opens at", link.host, "strong")] if link.host else []
    facts.append(Fact("url", text.visible(link.url, limit=_LONGEST), "target"))
    facts += [Fact("beware", warning, "warning") for warning in link.warnings]
    if link.why_not:
        facts.append(Fact("not opened", link.why_not, "error"))
    return Section("Link", tuple(facts))


def _unreadable(url: str) -> str:
    if not url:
        return "the question names no URL"
    if len(url) > _LONGEST:
        return f"it is longer than {_LONGEST} characters"
    if any(char.isspace() or not char.isprintable() for char in url):
        return "there are blanks or control characters in it"
    if "\\" in url:
        return "there is a backslash in it, which browsers read in their own way"
    return ""


def _punycode(host: str) -> str:
    """The host in ASCII; "" if that can't be done."""
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def _warnings(url: str, host: str, ascii_host: str) -> list[str]:
    found = []
    if not host.isascii() or any(label.startswith("xn--") for label in ascii_host.split(".")):
        found.append(f"the name of the host has letters of another alphabet: {text.visible(host, limit=300)}")
    if "@" in urlsplit(url).netloc:
        found.append("what stands before the @ is no host; it is not sent")
    if urlsplit(url).scheme.lower() == "http":
        found.append("http is not encrypted: whoever is in between can read along")
    return found
