"""Making a case of a value in sight: what can be expected of it, one is chosen, and it is in the file of cases."""

from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from textual.widget import Widget

from inspector.capture.journal import Journal
from inspector.errors import InspectError
from inspector.features.cases.file import SUFFIX, add_cases, beside
from inspector.features.cases.judging import shown, value_at
from inspector.features.cases.making import SeenExchange, case_of, proposals, seen, with_failure
from inspector.features.cases.model import Expectation, ExpectationKind
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.json_diff import ABSENT
from inspector.protocol.things import Tool
from inspector.text import visible
from inspector.tui.widgets.choose import ChooseScreen

_WORDS = {
    ExpectationKind.EQUALS: "equals {}",
    ExpectationKind.TYPE: "is of type {}",
    ExpectationKind.EXISTS: "is there",
    ExpectationKind.MATCHES: "matches the pattern {}",
    ExpectationKind.SCHEMA: "fits the schema {}",
    ExpectationKind.FASTER: "comes within {} ms",
    ExpectationKind.SNAPSHOT: "is like this, but for made-up ids and times",
}


@runtime_checkable
class ShowsExchange(Protocol):
    """Shows a request or its answer."""

    @property
    def exchange(self) -> Exchange | None:
        """Whose."""


def expect(view: Widget, place: str | None) -> None:
    """Ask what is expected of a value, and add it to the file of cases. `place`: see `PayloadDeeds.ExpectWanted`."""
    above: Any = view.ancestors
    shows = next((each for each in above if isinstance(each, ShowsExchange)), None)
    if shows is not None and shows.exchange is not None and shows.exchange.asks:
        _say(view, "This answer only asks. Choose a value of what the call came to once that was answered.", grave=True)
        return
    journal: Journal = view.app.subject.journal  # type: ignore[attr-defined]
    came = seen(journal, shows.exchange) if shows is not None and shows.exchange is not None else None
    value = ABSENT if came is None or place is None else value_at(came.reply, place)
    if came is None or place is None or value is ABSENT:
        _say(view, "Choose a value of an answer, in its tree: a test expects what a request came to.", grave=True)
        return
    choices = proposals(place, value, came.ms, declares_output=_declares_output(journal, came))
    labels = [_WORDS[each.kind].format(shown(each.value)) for each in choices]

    def chosen(at: int | None) -> None:
        if at is not None:
            view.run_worker(lambda: _add(view, journal, came, choices[at]), thread=True, group="expect")

    view.app.push_screen(ChooseScreen(visible(f"Expect of {place or 'the whole answer'}", limit=200), labels), chosen)


def _add(view: Widget, journal: Journal, came: SeenExchange, expectation: Expectation) -> None:
    path = beside(journal.capture_path) if journal.capture_path is not None else Path.cwd() / f"mcp-inspect{SUFFIX}"
    case = case_of(came.method, came.params, with_failure(expectation, came.reply), came.answers)
    try:
        count = add_cases(path, [case])
    except InspectError as error:
        view.app.call_from_thread(_say, view, f"{error}. {error.hint}", grave=True)
        return
    cases = "1 case" if count == 1 else f"{count:,} cases"
    view.app.call_from_thread(_say, view, f"Added; {cases} now. Run them: mcp-inspect test {path} TARGET")


def _declares_output(journal: Journal, came: SeenExchange) -> bool:
    """Whether the tool that was called has an outputSchema, as it was listed last."""
    tools = map(Tool, journal.conversation.catalogue.listings["tools"].items)
    name = peek.text(came.params, "name")
    return came.method == "tools/call" and any(each.name == name and each.output_schema is not None for each in tools)


def _say(view: Widget, sentence: str, *, grave: bool = False) -> None:
    severity = "warning" if grave else "information"
    view.app.notify(visible(sentence, limit=400), markup=False, timeout=8, severity=severity)  # type: ignore[arg-type]
