"""The simulated tool search."""

from typing import Any

import pytest

from inspector.errors import UsageError
from inspector.features.cost.cost import SearchQuery, ToolSearch, read_queries


def tool(name: str, description: str, **parameters: str) -> dict[str, Any]:
    properties = {each: {"description": said} for each, said in parameters.items()}
    return {"name": name, "description": description, "inputSchema": {"properties": properties}}


TOOLS = [
    tool("create_issue", "Create an issue in a repository", title="The title", labels="Labels to add"),
    tool("list_pull_requests", "List the pull requests of a repository", state="open, closed or all"),
    tool("searchCode", "Search for code", q="The query"),
    *(tool(f"other_{n}", "Do something else in a repository") for n in range(6)),
]


def test_words_rank_by_bm25_over_names_descriptions_and_parameters() -> None:
    index = ToolSearch(TOOLS)
    found = index.search(SearchQuery("show open pull requests", "list_pull_requests"))
    assert (found.rank, found.found, found.top[0]) == (1, True, "list_pull_requests")
    assert found.missing == ("show",)
    assert index.search(SearchQuery("labels", "create_issue")).rank == 1, "a parameter's name"
    assert index.search(SearchQuery("code", "searchCode")).rank == 1, "camelCase"


def test_a_tool_without_the_words_is_not_found() -> None:
    found = ToolSearch(TOOLS).search(SearchQuery("bug report", "create_issue"))
    assert (found.rank, found.found, found.missing) == (0, False, ("bug", "report"))


def test_only_the_first_five_count() -> None:
    found = ToolSearch(TOOLS).search(SearchQuery("something else repository", "create_issue"))
    assert (len(found.top), found.rank > 5, found.found) == (5, True, False)


def test_a_pattern_is_a_regular_expression() -> None:
    index = ToolSearch(TOOLS)
    assert index.search(SearchQuery("/^list_.*REQUESTS/", "list_pull_requests")).rank == 1
    assert index.search(SearchQuery("/nothing here/")).found is False
    with pytest.raises(UsageError, match="not a valid regular expression"):
        index.search(SearchQuery("/(/"))
    with pytest.raises(UsageError, match="takes longer"):
        ToolSearch([tool("a", "a" * 60)]).search(SearchQuery("/(?:a|aa)+$b/"))


def test_an_unknown_tool_is_named() -> None:
    with pytest.raises(UsageError, match="'nope', which does not exist"):
        ToolSearch(TOOLS).search(SearchQuery("x", "nope"))
    assert ToolSearch([]).search(SearchQuery("x")).top == ()


def test_queries_are_read_one_per_line() -> None:
    assert read_queries(["# comment", "", "find it => tool", "only words"]) == [
        SearchQuery("find it", "tool"),
        SearchQuery("only words"),
    ]
    with pytest.raises(UsageError, match="no query before =>"):
        read_queries([" => tool"])
