"""`mcp-inspect cost`: what a server's tools and results cost a model."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from inspector.capture.format.lines import demand_file
from inspector.capture.journal import Journal
from inspector.cli.captures import loaded_capture
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.lists import has_tools_or_none
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.targets import names_a_server
from inspector.errors import UsageError
from inspector.features.cost.cost import (
    PARTS,
    Cost,
    ResultCost,
    SearchQuery,
    SearchResult,
    ToolSearch,
    cost_of,
    read_queries,
)
from inspector.present.spans import Line, Span
from inspector.text import counted, estimate_tokens, human_size, pad, visible

_EXAMPLES = (
    "mcp-inspect cost -- node server.js",
    "mcp-inspect cost --budget 8000 https://example.com/mcp",
    "mcp-inspect cost --query 'open pull requests => list_prs' -- node server.js",
    "mcp-inspect cost --queries queries.txt --json session.mcpcap",
)
_NAME = 36
"""Width of the name column."""
_SHOWN_ITEMS = 20


@documented(
    "cost",
    _EXAMPLES,
    "`server`, `tokens_estimated`, `bytes`, `budget` (null: none), `over_budget`, `instructions_bytes`, `parts`, "
    "`tools` with their parts, `confusable` pairs, `queries` with rank and missing words, `results` for each tool",
)
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Exit 1 if definitions cost more.")
@click.option(
    "--query", "queries", multiple=True, metavar="QUERY[=>TOOL]", help="Simulate a tool search; /REGEX/ is a pattern."
)
@click.option(
    "--queries", "file", type=click.Path(path_type=Path), metavar="FILE", help="Read queries, one per line; - is stdin."
)
@click.option("--all", "every", is_flag=True, help="List every tool and pair, not only the first 20.")
@click.argument("word", required=False, metavar="[FILE | URL | NAME | -- COMMAND]")
@headless_settings
@click.pass_obj
def command(
    env: CliEnv,
    /,
    word: str | None,
    budget: int | None,
    queries: tuple[str, ...],
    file: Path | None,
    every: bool,
    **options: Any,
) -> ExitStatus:
    """Show what tools cost a model: tokens of definitions by part, confusable tools, tool search and results.

    Tokens are estimated as bytes / 4. The results are those in a capture. Exit status 1: the definitions are over
    --budget, or a --query with a tool does not find it among the first five.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    wanted = read_queries([*queries, *_lines_of(env, file)])

    def report(journal: Journal) -> ExitStatus:
        cost = cost_of(journal)
        tools = [tool for tool in journal.conversation.catalogue.listings["tools"].items if isinstance(tool, dict)]
        found = _searched(tools, wanted)
        if output.as_json:
            output.data(_as_json(cost, found, budget))
        else:
            output.lines(_lines(cost, found, budget, None if every else _SHOWN_ITEMS))
        over = budget is not None and cost.tokens > budget
        missed = any(not each.found for each in found if each.query.expected)
        return ExitStatus.FINDINGS if over or missed else ExitStatus.OK

    if env.server_argv is None and word is not None and not names_a_server(env, word):
        demand_file(Path(word), "Name a capture, a URL, or a server's command after --.")
        with loaded_capture(output, Path(word)) as journal:
            return report(journal)

    async def work(visit: CommandSession) -> ExitStatus:
        complete = await has_tools_or_none(visit)
        status = report(visit.session.journal)
        return status if complete or status is not ExitStatus.OK else ExitStatus.TOOL_ERROR

    return visit(env, word, options, work)


def _lines_of(env: CliEnv, file: Path | None) -> list[str]:
    """Read the lines of a file; [] without one. Raises: UsageError if the file can't be read."""
    if file is None:
        return []
    try:
        text = env.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"--queries {file}: {why}", hint="Give a text file with one query per line.") from None
    return text.splitlines()


def _searched(tools: Sequence[dict[str, Any]], wanted: Sequence[SearchQuery]) -> list[SearchResult]:
    if not wanted:
        return []
    index = ToolSearch(tools)
    return [index.search(query) for query in wanted]


def _as_json(cost: Cost, found: Sequence[SearchResult], budget: int | None) -> dict[str, Any]:
    return {
        "server": cost.server,
        "tokens_estimated": cost.tokens,
        "bytes": cost.size,
        "budget": budget,
        "over_budget": budget is not None and cost.tokens > budget,
        "instructions_bytes": cost.instructions,
        "parts": cost.parts,
        "tools": [
            {"name": each.name, "bytes": each.size, "tokens_estimated": each.tokens, "parts": each.parts}
            for each in cost.tools
        ],
        "confusable": [
            {
                "tools": [first, second],
                "likeness": round(pair.likeness, 3),
                "only_first": pair.apart[0],
                "only_second": pair.apart[1],
            }
            for first, second, pair in cost.confusable
        ],
        "queries": [
            {
                "query": each.query.text,
                "expected": each.query.expected or None,
                "found": each.found,
                "rank": each.rank or None,
                "top": each.top,
                "missing_words": each.missing,
            }
            for each in found
        ],
        "results": [
            {
                "tool": each.tool,
                "calls": each.calls,
                "p50_bytes": each.median,
                "p95_bytes": each.p95,
                "max_bytes": each.largest,
                "repeated_bytes": each.repeated,
                "base64_bytes": each.base64,
                "longest_list": each.longest_list,
            }
            for each in cost.results
        ],
    }


def _lines(cost: Cost, found: Sequence[SearchResult], budget: int | None, most: int | None) -> Iterator[Line]:
    count = counted(len(cost.tools), "tool")
    total = f"{count}, {human_size(cost.size)}, ≈{cost.tokens:,} tokens"
    yield ((total, "strong"), (f"   instructions {human_size(cost.instructions)}", "muted"))
    if budget is not None:
        over = cost.tokens > budget
        words = f"✗ Over the budget of {budget:,} tokens" if over else f"✓ Within the budget of {budget:,} tokens"
        yield ((words, "error" if over else "ok"),)
    yield from _parts(cost)
    yield from _tools(cost, most)
    yield from _pairs(cost, most)
    yield from _queries(found)
    yield from _results(cost.results, most)


def _parts(cost: Cost) -> Iterator[Line]:
    whole = cost.size or 1
    shown = [(part, size) for part, size in sorted(cost.parts.items(), key=lambda each: -each[1]) if size]
    if shown:
        yield ()
        yield (("Parts of all definitions", "strong"),)
    for part, size in shown:
        yield (
            (pad(f"  {part}", _NAME), "text"),
            (pad(f"{size / whole:.0%}", 6, right=True), "number"),
            (pad(human_size(size), 10, right=True), "muted"),
            (pad(f"≈{estimate_tokens(size):,}", 10, right=True), "muted"),
        )


def _tools(cost: Cost, most: int | None) -> Iterator[Line]:
    if not cost.tools:
        return
    yield ()
    yield ((pad("Tool", _NAME), "strong"), (pad("≈Tokens", 9, right=True), "muted"), ("   largest parts", "muted"))
    for tool in cost.tools[:most]:
        largest = sorted((part for part in PARTS if tool.parts[part]), key=lambda part: -tool.parts[part])[:2]
        message = ", ".join(f"{part} {tool.parts[part] / (tool.size or 1):.0%}" for part in largest)
        name = visible(tool.name, limit=_NAME - 4)
        yield (
            (pad(f"  {name}", _NAME), "target"),
            (pad(f"{tool.tokens:,}", 9, right=True), "number"),
            (f"   {message}", "muted"),
        )
    yield from _more(len(cost.tools), most)


def _pairs(cost: Cost, most: int | None) -> Iterator[Line]:
    if cost.confusable:
        yield ()
        yield (("Confusable tools", "strong"), ("   the words that only one of them has", "muted"))
    for first, second, pair in cost.confusable[:most]:
        yield (
            (f"  {visible(first, limit=60)}", "target"),
            (" ~ ", "muted"),
            (visible(second, limit=60), "target"),
            (f"   {pair.likeness:.0%}", "number"),
        )
        yield ((f"      {visible(_apart(pair.apart[0]))} | {visible(_apart(pair.apart[1]))}", "muted"),)
    yield from _more(len(cost.confusable), most)


def _apart(words: Sequence[str]) -> str:
    return ", ".join(words) or "no word"


def _queries(found: Sequence[SearchResult]) -> Iterator[Line]:
    if found:
        yield ()
        yield (("Tool search", "strong"), ("   the first five tools", "muted"))
    for each in found:
        mark: Span = ("  ✓ ", "ok") if each.found else ("  ✗ ", "error")
        place = f"rank {each.rank}" if each.rank else "not found"
        expected = f" => {visible(each.query.expected, limit=60)}: {place}" if each.query.expected else ""
        yield (mark, (visible(each.query.text, limit=200), "text"), (expected, "muted"))
        if each.top:
            yield ((f"      {', '.join(visible(name, limit=40) for name in each.top)}", "muted"),)
        if each.missing and not each.found:
            words = ", ".join(visible(word, limit=40) for word in each.missing)
            yield ((f"      words that {visible(each.query.expected, limit=60)} lacks: {words}", "warning"),)


def _results(results: Sequence[ResultCost], most: int | None) -> Iterator[Line]:
    if results:
        yield ()
        heads = "".join(pad(head, 10, right=True) for head in ("Calls", "p50", "p95", "Max"))
        yield ((pad("Results", _NAME), "strong"), (heads, "muted"))
    for each in results[:most]:
        sizes = "".join(pad(human_size(size), 10, right=True) for size in (each.median, each.p95, each.largest))
        name = visible(each.tool, limit=_NAME - 4)
        yield ((pad(f"  {name}", _NAME), "target"), (pad(f"{each.calls:,}", 10, right=True) + sizes, "number"))
        for note in _notes(each):
            yield ((f"      {note}", "warning"),)
    yield from _more(len(results), most)


def _notes(each: ResultCost) -> Iterator[str]:
    if each.repeated:
        yield f"{human_size(each.repeated)} of text repeat structuredContent; clients that send both pay twice"
    if each.base64:
        yield f"{human_size(each.base64)} of base64 in text; return image, audio or resource content instead"
    if each.longest_list:
        yield f"a list of {each.longest_list:,} items, and no parameter for pages; add a cursor or a limit"


def _more(count: int, most: int | None) -> Iterator[Line]:
    if most is not None and count > most:
        yield ((f"  and {count - most:,} more; --all lists them", "muted"),)
