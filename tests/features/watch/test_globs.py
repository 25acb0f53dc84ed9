"""Which files are watched: globs as typed, those of a command, and the directories below their roots."""

from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.features.watch.watcher import default_globs, directories_of, read_glob, reloads_itself


def made(place: Path, *names: str) -> Path:
    for name in names:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("")
    return place


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "b/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "b/c/a.py", True),
        ("**/*.py", "b/a.pyc", False),
        ("src/**/*.{js,ts}", "src/a/b.ts", True),
        ("src/**/*.{js,ts}", "src/a/b.tsx", False),
        ("src/**/*.{js,ts}", "lib/b.ts", False),
        ("src/**", "src/a/b", True),
        ("a?.[pq]y", "ab.qy", True),
        ("a.[!p]y", "a.py", False),
        ("a+b(1).py", "a+b(1).py", True),
        ("a.py", "aXpy", False),
        ("**/*.js", "node_modules/x/a.js", False),
        ("**/*.py", ".venv/lib/a.py", False),
        ("node_modules/mine/**/*.js", "node_modules/mine/a.js", True),
        ("**/node_modules/mine/*.js", "b/node_modules/mine/a.js", True),
        ("**/*", "a.py~", False),
        ("**/*", ".#a.py", False),
        ("**/*", "4913", False),
        ("**/*.py", "line\nbreak.py", True),
    ],
)
def test_a_glob_names_files_and_no_files_of_others(tmp_path: Path, glob: str, path: str, matches: bool) -> None:
    assert read_glob(glob, tmp_path).matches(tmp_path / path) is matches


def test_a_directory_means_all_in_it_and_a_file_only_itself(tmp_path: Path) -> None:
    made(tmp_path, "src/a.py", "b[1].py")
    assert read_glob("src", tmp_path).matches(tmp_path / "src/x/y.txt")
    assert read_glob("b[1].py", tmp_path).root == tmp_path
    assert read_glob("../up/*.py", tmp_path / "src").root == tmp_path / "up"


@pytest.mark.parametrize("typed", ["", " ", "a\0b", "http://x/mcp", "{a,b}" * 9])
def test_invalid_glob_is_refused_with_advice(tmp_path: Path, typed: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_glob(typed, tmp_path)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("argv", "globs"),
    [
        (("python", "server.py"), ["**/*.py"]),
        (("python3.12", "-u", "app/server.py"), ["app/**/*.py"]),
        (("python", "-m", "pack"), ["src/pack/**/*.py"]),
        (("uv", "run", "--with", "mcp", "app/server.py:mcp"), ["app/**/*.py"]),
        (("uv", "run", "my-server"), ["**/*.py"]),
        (("python", "pack2/inner/tool.py"), ["pack2/**/*.py"]),
        (("node", "dist/index.js"), ["dist/**/*.{js,ts,mjs,cjs,mts,cts,tsx,jsx,json}"]),
        (("npx", "tsx", "src/index.ts"), ["src/**/*.{js,ts,mjs,cjs,mts,cts,tsx,jsx,json}"]),
        (("npx", "-y", "some-server"), ["**/*.{js,ts,mjs,cjs,mts,cts,tsx,jsx,json}"]),
        (("node", "node_modules/x/a.js"), ["**/*.{js,ts,mjs,cjs,mts,cts,tsx,jsx,json}"]),
        (("cargo", "run"), ["**/*.rs", "Cargo.toml"]),
        (("go", "run", "."), ["**/*.go", "go.mod"]),
        (("./bin/tool",), ["**/*.py"]),
        (("./bin/binary",), ["bin/binary"]),
    ],
)
def test_default_globs_follow_the_command(tmp_path: Path, argv: tuple[str, ...], globs: list[str]) -> None:
    made(tmp_path, "server.py", "app/server.py", "src/pack/__main__.py", "dist/index.js", "src/index.ts")
    made(tmp_path, "pack2/__init__.py", "pack2/inner/__init__.py", "pack2/inner/tool.py", "node_modules/x/a.js")
    made(tmp_path, "bin/tool", "bin/binary")
    (tmp_path / "bin/tool").write_text("#!/usr/bin/env python3\n")
    (tmp_path / "bin/binary").write_bytes(b"\x7fELF")
    assert [glob.text for glob in default_globs(argv, tmp_path)] == globs


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("node --watch server.js", "node --watch"),
        ("node --watch-path=src server.js", "node --watch-path"),
        ("npx tsx watch src/index.ts", "tsx watch"),
        ("uv run uvicorn app:app --reload", "uvicorn --reload"),
        ("npx nodemon server.js", "nodemon"),
        ("fastmcp run --reload server.py", "fastmcp --reload"),
        ("cargo watch -x run", "cargo watch"),
        ("node server.js watch", ""),
        ("python watch.py --reload", ""),
        ("python server.py", ""),
    ],
)
def test_a_command_that_reloads_by_itself_is_known(command: str, said: str) -> None:
    assert reloads_itself(command.split()) == said


def test_only_directories_that_may_hold_a_file_are_watched(tmp_path: Path) -> None:
    place = tmp_path / "project"
    made(place, "src/a/b.py", "node_modules/x/y.js", "env/pyvenv.cfg", "env/lib/a.py", ".git/HEAD", "docs/c.md")
    (place / "loop").symlink_to(place)
    found = directories_of([read_glob("**/*.py", place)])
    assert {each.relative_to(place).as_posix() for each in found.places} == {".", "src", "src/a", "docs"}
    assert directories_of([read_glob("*.py", place)]).places == (place,)


def test_a_root_that_is_missing_or_huge_is_named(tmp_path: Path) -> None:
    made(tmp_path, *(f"d{n}/a.py" for n in range(20)))
    assert directories_of([read_glob("no/**/*.py", tmp_path)]).missing == (tmp_path / "no",)
    assert directories_of([read_glob("**/*.py", tmp_path)], most=5).huge == (tmp_path,)
    assert directories_of([read_glob("**/*.py", tmp_path)], most_entries=5).huge == (tmp_path,)
    assert directories_of([read_glob("**/*.py", tmp_path)]).huge == ()
