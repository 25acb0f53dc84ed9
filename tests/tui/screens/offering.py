"""A server that offers things, and an app with one of the panels that show them."""

from collections.abc import Callable
from typing import Any

from inspector.tui.conversation import OpenConversation
from inspector.tui.screens.items.offers import OffersPanel
from tests.tui.screens.acting import Acting
from tests.tui.widgets.showing import ShowingPanel

RESOURCES = [
    {"uri": "x://welcome", "name": "welcome", "title": "Welcome", "mimeType": "text/plain", "size": 12},
    {"uri": "x://b", "name": "b [/] \x1b[31m", "description": "[bold]not bold[/]"},
    {"name": "lost"},
    7,
]
TEMPLATES = [
    {"uriTemplate": "x://tides/{day}{?unit}", "name": "tides", "title": "Tides", "mimeType": "text/csv"},
    {"uriTemplate": "x://{broken", "name": "broken"},
]
PROMPTS = [
    {
        "name": "hail",
        "title": "Hail a ship",
        "description": "For the loudhailer",
        "arguments": [{"name": "ship", "required": True}, {"name": "mood"}],
    },
    {"name": "sum_up"},
]
DAYS = ["monday", "tuesday"]


class Offering(Acting):
    """Lists resources, templates and prompts; completes what `completes` says."""

    def __init__(self, revision: str = "2025-06-18", capabilities: Any = None) -> None:
        super().__init__()
        declared = {"completions": {}} if capabilities is None else capabilities
        self.tape.initialized(revision, capabilities=declared)
        self.offer("resources/list", "resources", RESOURCES)
        self.offer("resources/templates/list", "resourceTemplates", TEMPLATES)
        self.offer("prompts/list", "prompts", PROMPTS)
        self.asked: list[Any] = []
        """Params of each completion."""
        self.completes: Callable[[Any], Any] = lambda params: {"completion": {"values": DAYS}}
        self.given: Callable[[Any], Any] = lambda params: {"contents": [{"uri": params.get("uri"), "text": "Hello."}]}
        """The result of a read or of a prompt."""
        self.answer = self._answer

    def offer(self, method: str, member: str, items: list[Any]) -> None:
        """List things."""
        self._id += 1
        self.tape.request(self._id, method)
        self.tape.answer(self._id, {member: items})

    def _answer(self, params: Any) -> Any:
        if "ref" in params:
            self.asked.append(params)
            return self.completes(params)
        return self.given(params)

    @property
    def wanted(self) -> list[Any]:
        """Params of each read or prompt."""
        return [params for params in self.calls if "ref" not in params]


class Offers(ShowingPanel[OffersPanel]):
    """An app with one panel alone."""

    @property
    def subject(self) -> OpenConversation:
        return self.panel.conversation
