"""Lines to be read: they wrap and are copied."""

from pathlib import Path

import pytest

from inspector.capture.format.notes import NotesFile, new_mark
from inspector.errors import UsageError
from inspector.features.cases.file import open_cases
from inspector.features.export.formats import FORMATS
from inspector.features.lock.lock_file import definitions_of, read_lock_file, save
from inspector.present.spans import plain
from inspector.tui.panels import ExportScope
from inspector.tui.screens.export.ways import TARGETS, ExportRequest, ExportSource, ExportTarget, make, proposed
from inspector.tui.widgets.lines import LinesScreen
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.tui.screen_text import press, text
from tests.tui.staging import handshake
from tests.tui.widgets.showing import Showing
from tests.waiting import until


async def test_they_are_read_copied_and_left() -> None:
    async with (app := Showing()).run_test(size=(80, 24), notifications=True) as pilot:
        app.push_screen(LinesScreen("3 values", [(("a word " * 30, "text"),), (("the end", "error"),)]))
        await until(lambda: "the end" in text(app) and "3 values" in text(app), "the lines")
        await press(pilot, "y", shows="Copied")
        assert app.clipboard.endswith("the end")
        await pilot.press("escape")
        await until(lambda: "the end" not in text(app), "that it is left")


_BY_ID = {way.id: way for way in TARGETS}


@pytest.fixture
def source(tape: Tape) -> ExportSource:
    """A conversation with one call that was answered, at its entries 6 and 7."""
    handshake(tape).call(3, "buy")
    tape.answer(3, {"content": [], "ok": True})
    return ExportSource("shop", None, tape.journal)


def count(source: ExportSource) -> int:
    """How many entries it has."""
    assert source.journal is not None
    return source.journal.count


def wished(
    name: str, path: Path, scope: ExportScope | None = None, *, notes: bool = False, overwrite: bool = False
) -> ExportRequest:
    return ExportRequest(_BY_ID[name], path, scope, notes, overwrite)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "curl"])
def test_export_is_private_and_reports_losses(name: str, source: ExportSource, tmp_path: Path) -> None:
    made = make(wished(name, tmp_path / "out"), source)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600
    assert f"{count(source)} entries" in made.message
    assert "are masked" in made.message
    assert f"Not included: {FORMATS[name].loses}." in made.message
    with pytest.raises(FileExistsError):
        make(wished(name, tmp_path / "out"), source)
    make(wished(name, tmp_path / "out", overwrite=True), source)


def test_a_part_is_written_alone_and_what_can_t_be_written_is_an_error(source: ExportSource, tmp_path: Path) -> None:
    make(wished("jsonrpc", tmp_path / "part", ExportScope("it", [6, 7])), source)
    assert (tmp_path / "part").read_bytes().count(b"\n") == 2
    make(wished("jsonrpc", tmp_path / "found", ExportScope("it", find=lambda: [6])), source)
    assert (tmp_path / "found").read_bytes().count(b"\n") == 1
    with pytest.raises(UsageError, match="nothing of the capture can be written as curl"):
        make(wished("curl", tmp_path / "curl"), source)
    assert not (tmp_path / "curl").exists()


def test_a_capture_that_is_only_named_is_read_with_its_notes(tmp_path: Path) -> None:
    path = tmp_path / "a.mcpcap"
    path.write_bytes(Path(sample("lighthouse")).read_bytes())
    head = make(wished("markdown", tmp_path / "1.md", notes=True), ExportSource("a", path))
    assert "entries" in head.message
    from inspector.capture.store.load import load

    journal = load(path)
    NotesFile(path, journal.head.id).change(lambda notes: notes.marked(2, new_mark(2, text="odd one")))
    journal.close()
    make(wished("markdown", tmp_path / "2.md", notes=True), ExportSource("a", path))
    assert "odd one" in (tmp_path / "2.md").read_text()
    assert "odd one" not in (tmp_path / "1.md").read_text()


def test_a_surface_is_kept_and_compared_with(source: ExportSource, tape: Tape, tmp_path: Path) -> None:
    path = tmp_path / "shop.surface.json"
    assert "2 tools" in make(wished("surface", path), source).message
    assert [each["name"] for each in read_lock_file(path)[0].lists["tools"]] == ["buy", "sell"]
    assert make(wished("compare", path), source).message.startswith("no difference")
    tape.request(4, "tools/list")
    tape.answer(4, {"tools": [{"name": "buy", "inputSchema": {"type": "object"}}]})
    made = make(wished("compare", path), source)
    assert "1 breaking" in made.message
    assert any("sell" in plain(line) for line in made.lines)
    save(path, definitions_of(tape.journal.conversation))
    assert make(wished("compare", path), source).message.startswith("no difference")
    with pytest.raises(UsageError, match="can't be read"):
        make(wished("compare", tmp_path / "none"), source)
    empty = Tape()
    with pytest.raises(UsageError, match="no server definitions"):
        make(wished("surface", tmp_path / "empty"), ExportSource("x", None, empty.journal))


def test_calls_become_cases_and_are_added_to_those_that_are_there(source: ExportSource, tmp_path: Path) -> None:
    path = tmp_path / "shop.cases.yaml"
    assert "1 test case added, 1 in the file" in make(wished("cases", path), source).message
    assert "1 test case added, 2 in the file" in make(wished("cases", path, ExportScope("it", [4])), source).message
    assert [case.name for case in open_cases(path).cases] == ["tools/call buy", "tools/list"]
    with pytest.raises(UsageError, match="no request can become"):
        make(wished("cases", path, ExportScope("it", [3])), source)


def test_copy_is_shared_with_notes_and_reported(source: ExportSource, tmp_path: Path) -> None:
    asked: list[tuple[Path, Path, bool, bool]] = []

    def share(capture: Path, out: Path, *, notes: bool, overwrite: bool) -> list[str]:
        asked.append((capture, out, notes, overwrite))
        return ["9 values replaced", "  9  token"]

    out = tmp_path / "out"
    made = make(wished("share", out, notes=True), ExportSource("a", tmp_path / "a", None, share=share))
    assert asked == [(tmp_path / "a", out, True, False)]
    assert "9 values replaced" in made.message
    assert [plain(line) for line in made.lines] == ["9 values replaced", "  9  token"]
    with pytest.raises(UsageError, match="not recorded"):
        make(wished("share", out), source)


def test_a_name_is_proposed_where_one_is_and_cases_stand_beside_the_capture(tmp_path: Path) -> None:
    def name(way: ExportTarget) -> Path:
        return proposed(way, ExportSource("shop", tmp_path / "shop.mcpcap"))

    assert name(_BY_ID["har"]) == Path.cwd() / "shop.har"
    assert name(_BY_ID["share"]) == Path.cwd() / "shop.shared.mcpcap"
    assert name(_BY_ID["cases"]) == tmp_path / "shop.cases.yaml"


@pytest.mark.parametrize("name", ["har", "share", "surface"])
def test_a_capture_is_never_replaced_by_what_is_made_of_it(name: str, source: ExportSource, tmp_path: Path) -> None:
    capture = tmp_path / "shop.mcpcap"
    capture.write_bytes(b"all of it")
    own = ExportSource("shop", capture, source.journal)
    with pytest.raises(UsageError, match="is the open capture"):
        make(wished(name, tmp_path / "." / "shop.mcpcap", overwrite=True), own)
    assert capture.read_bytes() == b"all of it"
