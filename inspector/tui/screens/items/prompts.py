"""Prompts screen: the prompts of a server, the arguments of one, and its messages."""

from collections.abc import Sequence
from typing import Any

from inspector.forms.typed import json_text
from inspector.present.items import ItemRow
from inspector.protocol.listed_items import ListedItem, Prompt
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.clipboard import copy
from inspector.tui.conversation import OpenConversation
from inspector.tui.results.views import ResultWords
from inspector.tui.screens.items.list import ItemKind, ItemList
from inspector.tui.screens.items.model import (
    ListedRows,
    prompt_counts,
    prompt_facts,
    prompt_markdown,
    prompt_offers,
    prompt_place,
    prompt_schema,
)
from inspector.tui.screens.items.offers import OfferKind, OffersPanel, PreparedRequest


def _offers(listings: Sequence[Listing]) -> list[ItemRow]:
    return prompt_offers([Prompt(raw) for listing in listings for raw in listing.items])


def _request(item: ListedItem, arguments: Any) -> PreparedRequest:
    params = {"name": item.name} if arguments == {} else {"name": item.name, "arguments": arguments}
    return PreparedRequest(params)


PROMPTS = OfferKind(
    item=ItemKind(
        kinds=("prompts",),
        one="prompt",
        many="prompts",
        search="name, title or description",
        read=_offers,
        summary=prompt_counts,
        method="prompts/get",
        made=lambda item, name: name == item.name,
    ),
    verb="Get",
    result_words=ResultWords("Not called yet", "gets the messages", "No results yet", structured=False),
    titles=("Prompt", "Arguments", ""),
    place=prompt_place,
    facts=prompt_facts,
    schema=prompt_schema,
    request=_request,
    reference=lambda item: {"type": "ref/prompt", "name": item.name},
)


class PromptsPanel(OffersPanel):
    """Panel of the server's prompts and their results."""

    places = keys.SCREENS["prompts"].places
    BINDINGS = keys.bindings("Prompts", "Tools, Resources and Prompts", ActionScope.RESULT, ActionScope.DETAIL)

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__(conversation, PROMPTS, ItemList(conversation, ListedRows(PROMPTS.titles), PROMPTS.item))

    async def action_do(self, name: str) -> None:
        """Run another action, here also "copy-json" and "copy-markdown"."""
        if not name.startswith("copy-"):
            await super().action_do(name)
            return
        looked = self.result.looked
        if looked is None or looked.finished.result is None:
            self.app.notify("No messages to copy yet.")
            return
        result = looked.finished.result
        copy(self.app, json_text(result) if name == "copy-json" else prompt_markdown(result))
