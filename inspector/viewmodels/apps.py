"""MCP Apps for a reader: the line of a tool, what a page asks for, and its source. Pages are never rendered."""

from inspector.protocol.apps import AppLink, Page
from inspector.viewmodels import signs, text
from inspector.viewmodels.highlight import highlighted
from inspector.viewmodels.lines import Fact, Line, fact, span

NEVER_RENDERED = "The source is shown; the page is never rendered."
MOST_OF_SOURCE = 200_000
"""Characters that are shown."""


def link_line(link: AppLink, key: str = "") -> Line:
    """A tool's page in one line; `key` opens its source."""
    hidden = "  hidden from the model" if link.hidden_from_model else ""
    if not link.uri:
        said = f"App: {'; '.join(link.flaws)}" if link.flaws else f"Shown to: {', '.join(link.visibility)}"
        return ((text.visible(said, limit=200), "warning" if link.flaws else "claimed"), (hidden, "warning"))
    flaws = f"  {signs.WARNING} {text.visible('; '.join(link.flaws), limit=200)}" if link.flaws else ""
    opens = f"  {key} shows its source" if key else ""
    return (
        ("App: ", "faint"),
        span(link.uri, "target", limit=300),
        (hidden, "warning"),
        (flaws, "warning"),
        (opens, "accent"),
    )


def page_facts(page: Page) -> tuple[Fact, ...]:
    """What a page says of itself, and what is wrong with it."""
    found = [Fact("problem", text.visible(flaw, limit=200), "warning") for flaw in page.flaws]
    found.append(Fact("app", NEVER_RENDERED, "muted"))
    if page.by_listing:
        found.append(Fact("said by", "its entry in resources/list", "muted"))
    if page.domains:
        found += [fact(name, ", ".join(domains), "claimed") for name, domains in page.domains]
    else:
        found.append(Fact("csp", "nothing said: it may connect to nothing and load from nowhere"))
    found.append(fact("permissions", ", ".join(page.permissions) or "none", "claimed" if page.permissions else "muted"))
    if page.domain:
        found.append(fact("domain", page.domain, "claimed"))
    if page.prefers_border is not None:
        found.append(Fact("border", "wanted" if page.prefers_border else "not wanted", "claimed"))
    return tuple(found)


def source_facts(page: Page) -> tuple[Fact, ...]:
    """The same with what the source is, for where nothing else says that."""
    return (
        fact("uri", page.uri or "not said", "target"),
        fact("type", page.mime_type or "not said"),
        Fact("size", f"{len(page.source):,} bytes"),
        Fact("sha256", page.sha256, "faint"),
        *page_facts(page),
    )


def source_lines(page: Page) -> list[Line]:
    """The source in colours, line by line; nothing in it acts."""
    whole = text.decode(page.source)
    safe = text.visible(whole, limit=MOST_OF_SOURCE, newlines=True)
    lines = highlighted(safe, "text/html", "") or [((line, "foreign"),) for line in safe.split("\n")]
    more = len(whole) - MOST_OF_SOURCE
    return lines if more <= 0 else [*lines, ((f"{signs.NOTE} {more:,} characters more", "muted"),)]
