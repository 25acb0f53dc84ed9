"""The figures of the source layout stay within their limits; `python -m tests.architecture.metrics` prints them."""

from collections.abc import Callable

import pytest

from tests.architecture import metrics
from tests.architecture.metrics import (
    action_lines,
    annotated_self,
    classes,
    cycles,
    decorator_lines,
    gone_files,
    graph,
    has_low_constants,
    is_between_screens,
    is_keys_to_screen,
    is_widget_to_mcp,
    late_constants,
    low_types,
    measure,
    orphaned_docstrings,
    riddles,
    single_bases,
    vague_names,
    walls,
)
from tests.architecture.sources import Source, read, sources


def test_the_layout_stays_within_its_limits() -> None:
    found = measure(sources("inspector"), sources("tests"))
    print(metrics.table(found))
    assert not [f"{each.name}: {each.value} > {each.limit} {each.worst}" for each in found if not each.holds]


def _tree(**texts: str) -> tuple[Source, ...]:
    return tuple(read(f"inspector/{name.replace('__', '/')}.py", text) for name, text in texts.items())


def test_imports_are_counted_wherever_they_are() -> None:
    modules = _tree(
        a="from inspector.b import x",
        b="def f():\n    from inspector.c import y\n    import json",
        c="if TYPE_CHECKING:\n    import inspector.a",
    )
    found = graph(modules)
    assert found.targets["inspector.a"] == {"inspector.b"}
    assert found.targets["inspector.b"] == {"inspector.c"}
    assert cycles(found.targets) == [{"inspector.a", "inspector.b", "inspector.c"}]


def test_a_line_of_imports_is_no_cycle() -> None:
    assert not cycles(graph(_tree(a="import inspector.b", b="import inspector.c", c="")).targets)


def test_two_cycles_are_two() -> None:
    modules = _tree(
        a="import inspector.b",
        b="import inspector.a\nimport inspector.c",
        c="import inspector.d",
        d="import inspector.c",
    )
    assert sorted(map(len, cycles(graph(modules).targets))) == [2, 2]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("class A: ...\nclass B(A): ...", ["A"]),
        ("class A: ...\nclass B(A): ...\nclass C(A): ...", []),
        ("class A(Protocol): ...\nclass B(A): ...", []),
        ("class AError(Exception): ...\nclass B(AError): ...", []),
        ("class A: ...\nclass B(A): ...\nx = A()", []),
    ],
)
def test_a_base_with_one_subclass_is_found_unless_it_is_used_for_itself(text: str, found: list[str]) -> None:
    modules = _tree(a=text)
    assert single_bases(classes(modules), modules) == found


def test_a_method_of_another_class_is_found() -> None:
    modules = _tree(a='class A:\n    def f(self: "B"): ...\n    def g(self): ...')
    assert annotated_self(modules) == ["inspector.a.f"]


@pytest.mark.parametrize(
    ("importer", "imported", "wall"),
    [
        ("inspector.tui.screens.a.panel", "inspector.tui.screens.b.model", is_between_screens),
        ("inspector.tui.widgets.bars", "inspector.capture.journal", is_widget_to_mcp),
        ("inspector.tui.keys", "inspector.tui.screens.a.keys", is_keys_to_screen),
    ],
)
def test_import_across_a_wall_is_found(importer: str, imported: str, wall: Callable[[str, str], bool]) -> None:
    targets = {importer: frozenset({imported, "inspector.text"}), "inspector.tui.app": frozenset({imported})}
    assert walls(targets, wall) == [f"{importer} → {imported}"]


def test_constant_below_a_definition_is_late_unless_it_needs_one() -> None:
    (module,) = _tree(a="A = 1\ndef f(): ...\n_B = 2\nC: int = 3\nlower = 4\nD = f()\nE = D\nclass G: ...")
    assert late_constants(module) == ["inspector.a._B", "inspector.a.C"]


@pytest.mark.parametrize("count", [5, 6])
def test_more_than_five_constants_below_a_definition_are_found_even_if_they_need_it(count: int) -> None:
    (module,) = _tree(a="A = 1\ndef f(): ...\nlower = 2\n" + "".join(f"B{at} = f()\n" for at in range(count)))
    assert has_low_constants(module) == (count > 5)


def test_data_type_below_a_function_is_found_and_a_class_with_methods_is_not() -> None:
    (module,) = _tree(
        a="class A: ...\nE = int\ndef f(): ...\nclass B:\n    x: int\n    @property\n    def y(self): ...\n"
        "class C(Protocol):\n    def z(self): ...\nclass D:\n    def z(self): ...\nPlace = tuple[int, int]\nX = 1"
    )
    assert low_types(module) == ["inspector.a.B", "inspector.a.C", "inspector.a.Place"]


def test_lines_of_decorators_and_actions_are_counted() -> None:
    (module,) = _tree(a="@a(\n    1,\n)\ndef f(): ...\nx = Action(\n    1\n)")
    assert (decorator_lines(module), action_lines(module)) == (3, 3)


def test_vague_names_count_as_names_arguments_and_attributes() -> None:
    (module,) = _tree(a="def f(said): ...\nthing = f(x.subject)\nitem = 'said'")
    assert vague_names(module) == 3


def test_riddles_are_names_without_subject_and_result() -> None:
    (source,) = _tree(a="def test_what_is_it(): ...\ndef test_a_call_is_told(): ...\ndef test_call_returns_one(): ...")
    tests = (read("tests/test_a.py", source.text), read("tests/helper.py", source.text))
    assert riddles(tests) == ["test_what_is_it", "test_a_call_is_told"]


def test_file_in_a_docstring_that_is_gone_is_found() -> None:
    modules = _tree(a='"""See `b.py` and `gone.py`."""', b="")
    assert gone_files(modules, {"a", "b"}) == ["inspector.a: gone.py"]


def test_docstring_that_documents_nothing_is_found() -> None:
    (module,) = _tree(a='"""A."""\nx = 1\n"""One."""\n"""Two."""\ndef f():\n    """F."""\n    g()\n    """G."""')
    assert orphaned_docstrings(module) == ["inspector.a:4", "inspector.a:8"]


def test_every_figure_can_be_over_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "LIMITS", dict.fromkeys(metrics.LIMITS, -1))
    found = measure(_tree(a="class A: ...\nf()\n''", b="class A: ..."), ())
    assert not [each.name for each in found if each.holds]
    assert metrics.table(found).count("OVER") == len(metrics.LIMITS)
