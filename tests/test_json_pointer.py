"""Steps of a JSON pointer, escaped and not."""

from inspector.json_pointer import escaped, steps


def test_a_pointer_is_divided_into_its_unescaped_steps() -> None:
    assert steps("/a~1b/~0/~01") == ["a/b", "~", "~1"]
    assert steps("") == []


def test_a_name_is_escaped_so_that_it_is_one_step() -> None:
    assert [steps(f"/{escaped(name)}") for name in ("a/b", "~", "~1", "")] == [["a/b"], ["~"], ["~1"], [""]]
