"""Tools that a model may confuse are found; tools that only share a subject are not."""

from typing import Any

import pytest

from inspector.checks.definitions.confusable import confusable_pairs, words_of


def tool(name: str, description: str = "", *parameters: str) -> dict[str, Any]:
    properties = {each: {"type": "string"} for each in parameters}
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": properties}}


def names(*tools: dict[str, Any]) -> list[tuple[str, str]]:
    return [(tools[pair.first]["name"], tools[pair.second]["name"]) for pair in confusable_pairs(tools)]


def test_words_are_taken_from_any_spelling() -> None:
    assert words_of("listHTTPServers get_user-names status2") == [
        "list", "http", "server", "get", "user", "name", "status", "2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (tool("get_user", "Get a user by id", "id"), tool("get_users", "Get users by id", "id")),
        (
            tool("list_directory", "Get a detailed listing of all files in a path", "path"),
            tool(
                "list_directory_with_sizes", "Get a detailed listing of all files in a path, with sizes", "path", "sort"
            ),
        ),
        (tool("search_docs"), tool("search_doc")),
        (tool("suche", "Sucht Bücher im Bestand", "q"), tool("suche_neu", "Sucht Bücher im neuen Bestand", "q")),
    ],
)
def test_nearly_equal_tools_are_confusable(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert names(first, second) == [(first["name"], second["name"])]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (tool("create_issue", "Create an issue", "title"), tool("delete_issue", "Delete an issue", "title")),
        (tool("read_file", "Read a file", "path"), tool("write_file", "Write a file", "path", "text")),
        (tool("url_encode", "URL-encode a text", "text"), tool("url_decode", "URL-decode a text", "text")),
        (tool("csv_to_json", "Convert CSV to JSON", "text"), tool("xml_to_json", "Convert XML to JSON", "text")),
        (tool("activate_group", "Activate a group", "id"), tool("deactivate_group", "Deactivate a group", "id")),
        (tool("add", "Add two numbers", "a", "b"), tool("echo", "Return a text", "text")),
        (tool(""), tool("")),
    ],
)
def test_different_actions_and_subjects_are_not(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert names(first, second) == []


def test_the_words_that_tell_them_apart_are_named_and_the_most_alike_come_first() -> None:
    tools = [
        tool("get_order", "Return the order of a customer", "id"),
        tool("get_orders", "Return the orders of a customer", "id"),
        tool("get_order_details", "Return the order of a customer with prices", "id"),
    ]
    pairs = confusable_pairs(tools)
    assert (pairs[0].first, pairs[0].second) == (0, 1)
    assert [pair.likeness for pair in pairs] == sorted((pair.likeness for pair in pairs), reverse=True)
    (detailed,) = [pair for pair in pairs if (pair.first, pair.second) == (0, 2)]
    assert detailed.apart == ((), ("detail", "price"))


def test_strange_definitions_are_taken() -> None:
    strange: list[dict[str, Any]] = [
        {}, {"name": 1}, {"name": "\ud800" * 5, "description": None}, {"name": "x", "inputSchema": []},
    ]  # fmt: skip
    assert confusable_pairs(strange) == []


def test_confusable_pairs_compares_few_pairs_of_many_tools() -> None:
    tools = [tool(f"tool_{n}", f"Do thing number {n} with item {n % 97}", "id") for n in range(2000)]
    steps: list[int] = []
    confusable_pairs(tools, rest=steps.append)
    assert 1_000 < len(steps) < 0.05 * 2000 * 1999 / 2
