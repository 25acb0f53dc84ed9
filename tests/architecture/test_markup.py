"""No text that was put together at run time reaches a widget that would read markup in it.

A server may name its tool "[@click=app.quit]"; a title made by an f-string would obey. What goes to a widget is
a `Text` or `Content` object, a literal of ours, or comes with markup=False; a toast never reads any. The check is a
heuristic: it sees strings made at the very place where they are handed over (f-strings, `+`, `%`, format, join, str),
which is where the mistake is made.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.sources import Source, dotted, read, sources

_WIDGETS = {"Static", "Label", "Button", "Checkbox", "RadioButton", "Option", "Collapsible", "TabPane", "Tab", "Link"}
_METHODS = {"update", "add_option", "add_row", "add_column", "add_leaf", "add", "add_tab", "set_label"}
_READS_MARKUP = frozenset(_WIDGETS | _METHODS)
_ATTRIBUTES = frozenset({"border_title", "border_subtitle", "tooltip", "label", "title", "placeholder"})
_KEYWORDS = frozenset({"title", "label", "content", "prompt", "tooltip", "placeholder", "message"})
_PARSERS = frozenset({"from_markup", "render_markup", "render_str", "to_content"})
_RENDERS = frozenset({"render", "render_line", "render_label"})


def _is_made(node: ast.expr) -> bool:
    """Whether an expression puts a string together here and now."""
    match node:
        case ast.JoinedStr(values=parts):
            return any(isinstance(part, ast.FormattedValue) for part in parts)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            return _is_text(left) or _is_text(right)
        case ast.Call(func=ast.Attribute(attr="format" | "join")) | ast.Call(func=ast.Name(id="str" | "repr")):
            return True
        case ast.IfExp(body=one, orelse=other):
            return _is_made(one) or _is_made(other)
        case _:
            return False


def _is_text(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and isinstance(node.value, str)) or _is_made(node)


def _faults(source: Source) -> list[str]:
    found = (fault for node in ast.walk(source.tree) for fault in _complaints(node))
    return [f"{source.path}:{line}: {what}" for line, what in found]


def _complaints(node: ast.AST) -> Iterator[tuple[int, str]]:
    match node:
        case ast.Call():
            yield from _in_call(node)
        case ast.Assign(targets=[ast.Attribute(attr=name)], value=value) if name in _ATTRIBUTES and _is_made(value):
            yield node.lineno, f"{name} reads markup in {ast.unparse(value)}"
        case ast.FunctionDef(name=name) if name in _RENDERS:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return) and inner.value and _is_made(inner.value):
                    yield inner.lineno, f"what {name} returns is read as markup: {ast.unparse(inner.value)}"


def _in_call(call: ast.Call) -> Iterator[tuple[int, str]]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else dotted(call.func)
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    given = [*call.args, *(value for keyword, value in keywords.items() if keyword in _KEYWORDS)]
    if name in _PARSERS and call.args and not isinstance(call.args[0], ast.Constant):
        yield call.lineno, f"{name} of what is no literal: {ast.unparse(call.args[0])}"
    markup = keywords.get("markup")
    if name in _READS_MARKUP and not (isinstance(markup, ast.Constant) and markup.value is False):
        yield from (
            (value.lineno, f"{name} reads markup in {ast.unparse(value)}") for value in given if _is_made(value)
        )


def test_no_widget_is_given_a_string_made_at_run_time() -> None:
    assert not [fault for source in sources("inspector/tui") for fault in _faults(source)]


@pytest.mark.parametrize(
    "text",
    [
        "Static(f'{name}')",
        "yield Label('tool ' + name)",
        "widgets.Static('%s' % name, markup=True)",
        "self.query_one(Label).update(', '.join(names))",
        "label.update(str(error))",
        "label.update(name if short else f'{name}!')",
        "self.border_title = f'{tool.name}'",
        "self.tooltip = '{}'.format(name)",
        "Text.from_markup(name)",
        "Content.from_markup(f'[b]{name}')",
        "class A(Widget):\n    def render(self):\n        return f'{self.name}'",
    ],
)
def test_a_string_that_is_read_as_markup_is_found(text: str) -> None:
    assert _faults(read("inspector/tui/a.py", text))


@pytest.mark.parametrize(
    "text",
    [
        "Static('[b]ready[/b]')",
        "Static(f'{name}', markup=False)",
        "Static(Content(f'{name}'))",
        "label.update(Text(f'{name}'))",
        "label.update(name)",
        "Content.from_markup('[b]$name', name=name)",
        "self.notify(f'{error}')",
        "self.border_title = Content(f'{tool.name}')",
        "total = a + b",
    ],
)
def test_objects_literals_and_markup_off_are_left_alone(text: str) -> None:
    assert not _faults(read("inspector/tui/a.py", text))
