"""Screen 4, Prompts: the list, the arguments of one, and the messages that the server makes of them."""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.forms.typed import json_text
from inspector.protocol.things import ListedItem, Prompt
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import OpenConversation
from inspector.tui.safety import copy
from inspector.tui.screens.items.list import ListWords
from inspector.tui.screens.items.model import (
    Offer,
    prompt_counts,
    prompt_facts,
    prompt_markdown,
    prompt_offers,
    prompt_place,
    prompt_schema,
)
from inspector.tui.screens.items.offers import OfferKind, OffersPanel, PreparedRequest
from inspector.tui.screens.items.result_views import ResultWords


def _offers(listings: Sequence[Listing]) -> list[Offer]:
    return prompt_offers([Prompt(raw) for listing in listings for raw in listing.items])


def _request(thing: ListedItem, arguments: Any) -> PreparedRequest:
    params = {"name": thing.name} if arguments == {} else {"name": thing.name, "arguments": arguments}
    return PreparedRequest(params)


def _reference(thing: ListedItem) -> dict[str, Any] | None:
    return {"type": "ref/prompt", "name": thing.name}


def _made(thing: ListedItem, name: str) -> bool:
    return name == thing.name


PROMPTS = OfferKind(
    kinds=("prompts",),
    method="prompts/get",
    verb="Get",
    done="asked for",
    words=ListWords("prompt", "prompts", "name, title or description"),
    result_words=ResultWords("Not asked for yet", "gets its messages", "Never asked for yet", structured=False),
    titles=("prompt", "arguments", ""),
    offers=_offers,
    counts=prompt_counts,
    place=prompt_place,
    facts=prompt_facts,
    schema=prompt_schema,
    request=_request,
    reference=_reference,
    made=_made,
)


class PromptsPanel(OffersPanel):
    """The prompts of a server, and what it makes of them."""

    places = (
        ActionScope.EVERYWHERE,
        ActionScope.PROMPTS,
        ActionScope.OFFERED,
        ActionScope.FORM,
        ActionScope.FORM_LINE,
        ActionScope.RESULT,
        ActionScope.DETAIL,
        ActionScope.MOVING,
        ActionScope.JSON,
        ActionScope.FINDING_HERE,
        ActionScope.PAYLOAD,
        ActionScope.SEARCH,
    )
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(
        ActionScope.PROMPTS, ActionScope.OFFERED, ActionScope.RESULT, ActionScope.DETAIL
    )
    HELP = """\
Choose a prompt, fill its arguments, get its messages: each with its role and every kind of content. `c` copies them as
JSON, `C` as Markdown.
"""

    def __init__(self, subject: OpenConversation) -> None:
        super().__init__(subject, PROMPTS)

    async def action_do(self, name: str) -> None:
        """What else a key asks for; here also "copy-json" and "copy-markdown"."""
        if name.startswith("copy-"):
            self._copy(as_json=name == "copy-json")
        else:
            await super().action_do(name)

    def _copy(self, *, as_json: bool) -> None:
        looked = self.result.looked
        if looked is None or looked.finished.result is None:
            self.app.notify("There are no messages to copy yet.", markup=False)
            return
        result = looked.finished.result
        copy(self.app, json_text(result) if as_json else prompt_markdown(result))
