"""The figures of the source layout stay within their limits; `python -m tests.architecture.metrics` prints them."""

import pytest

from tests.architecture import metrics
from tests.architecture.metrics import annotated_self, classes, cycles, effective_methods, graph, measure, single_bases
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
    assert found.borders == 2
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


def test_inherited_methods_count() -> None:
    modules = _tree(
        a="class A:\n    def one(self): ...\n    def two(self): ...",
        b="from inspector.a import A\nclass B(A[int]):\n    def two(self): ...\n    def three(self): ...",
        c="class B(A):\n    def four(self): ...",
    )
    known, targets = classes(modules), graph(modules).targets
    counts = {each.module: len(effective_methods(each, known, targets)) for every in known.values() for each in every}
    assert counts == {"inspector.a": 2, "inspector.b": 3, "inspector.c": 1}


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


def test_every_figure_can_be_over_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "LIMITS", dict.fromkeys(metrics.LIMITS, -1))
    found = measure(_tree(a="class A: ...", b="class A: ..."), ())
    assert not [each.name for each in found if each.holds]
    assert metrics.table(found).count("OVER") == len(metrics.LIMITS)
