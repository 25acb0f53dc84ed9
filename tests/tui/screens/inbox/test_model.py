"""Server requests as text and as forms."""

from pathlib import Path
from typing import Any

import pytest

from inspector.capture.journal import Journal
from inspector.capture.store.history import History
from inspector.forms.fields import UNSET
from inspector.present.spans import plain, section_lines
from inspector.protocol.server_requests import ErrorReply, RequestKind, Result, Root, ServerRequest
from inspector.tui.screens.inbox.model import (
    MOST_MESSAGES,
    ROOTS_SCHEMA,
    answer_schema,
    answer_section,
    answer_word,
    answered_section,
    asked_by,
    beyond_a_form,
    cause_summary,
    declining_reply,
    filled_by,
    has_form,
    kind_word,
    last_text,
    listed,
    recorded_state,
    recorded_state_word,
    reply_of,
    reply_to,
    request_summary,
    root_uri,
    roots_of,
    sampling_sections,
    secret_fields,
    server_request_sections,
)
from tests.present.tape import Tape

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}


def asks(kind: RequestKind = RequestKind.ELICITATION, **params: Any) -> ServerRequest:
    return ServerRequest(kind, params, 1, 1, 0)


def test_an_elicitation_is_filled_in_by_its_own_schema() -> None:
    asked = asks(requestedSchema=CITY)
    assert answer_schema(asked) == CITY
    assert reply_of(asked, {"city": 3}) == Result({"action": "accept", "content": {"city": 3}})
    assert reply_of(asked, UNSET) == Result({"action": "accept"})
    assert answer_schema(asks(requestedSchema="nonsense")) == {"type": "object"}


def test_a_link_has_nothing_to_fill_in() -> None:
    assert not has_form(asks(mode="url"))
    assert reply_of(asks(mode="url"), {"x": 1}) == Result({"action": "accept"})


def test_a_model_s_answer_has_text_model_and_stop_reason() -> None:
    filled = {"text": "Salt.", "model": "me", "stopReason": "maxTokens"}
    reply = reply_of(asks(RequestKind.SAMPLING), filled)
    content = {"type": "text", "text": "Salt."}
    assert reply == Result({"role": "assistant", "content": content, "model": "me", "stopReason": "maxTokens"})
    assert filled_by(asks(RequestKind.SAMPLING), reply) == filled
    empty = reply_of(asks(RequestKind.SAMPLING), UNSET)
    assert isinstance(empty, Result)
    assert (empty.value["content"]["text"], empty.value["model"]) == ("", "written by hand")


def test_sampling_answer_may_use_a_tool() -> None:
    asked = asks(RequestKind.SAMPLING, tools=[{"name": "weigh"}, {"name": 3}])
    assert answer_schema(asked)["properties"]["toolUse"]["properties"]["name"] == {"enum": ["weigh"]}
    assert "toolUse" not in answer_schema(asks(RequestKind.SAMPLING))["properties"]
    reply = reply_of(asked, {"toolUse": {"name": "weigh", "input": {"a": 1}}})
    assert isinstance(reply, Result)
    assert reply.value["content"] == {"type": "tool_use", "id": "call_1", "name": "weigh", "input": {"a": 1}}
    assert reply.value["stopReason"] == "toolUse"
    both = reply_of(asked, {"text": "Let me see.", "toolUse": {"name": "weigh"}})
    assert isinstance(both, Result)
    assert [block["type"] for block in both.value["content"]] == ["text", "tool_use"]


def test_roots_are_paths_or_uris_and_an_empty_line_is_none() -> None:
    filled = {"roots": [{"uri": "/srv/data", "name": "data"}, {"uri": ""}, {"uri": "https://a.example/"}, 3]}
    roots = roots_of(filled)
    assert roots == (Root("file:///srv/data", "data"), Root("https://a.example/"))
    assert reply_of(asks(RequestKind.ROOTS), filled) == Result(listed(roots))
    assert filled_by(asks(RequestKind.ROOTS), Result(listed(roots))) == listed(roots)
    assert answer_schema(asks(RequestKind.ROOTS)) is ROOTS_SCHEMA
    assert root_uri("~") == Path.home().as_uri()
    assert root_uri("a b").endswith("/a%20b")


def test_declining_reply_depends_on_the_kind() -> None:
    assert declining_reply(asks()) == Result({"action": "decline"})
    assert declining_reply(asks(), dismiss=True) == Result({"action": "cancel"})
    assert declining_reply(asks(RequestKind.SAMPLING)) == declining_reply(asks(RequestKind.ROOTS), dismiss=True)
    assert declining_reply(asks(RequestKind.SAMPLING)) == ErrorReply(-1, "the user rejected the request")


@pytest.mark.parametrize("reply", [None, ErrorReply(-1, "no"), Result(None), Result({"action": "decline"}), Result([])])
def test_from_a_no_nothing_is_taken_over(reply: Any) -> None:
    assert filled_by(asks(), reply) is UNSET
    assert filled_by(asks(RequestKind.SAMPLING), reply) is UNSET


def test_answer_section_names_the_author() -> None:
    def shown(*how: Any) -> str:
        return "\n".join(map(plain, section_lines(answer_section(*how))))

    yes = Result({"action": "accept", "content": {"city": "\x1b"}})
    assert "by  person" in shown(yes, "person", "")
    assert "\x1b" not in shown(yes, "person", "")
    assert "error  -1" in shown(ErrorReply(-1, "nobody is there"), "nobody", "")
    assert "the server cancelled" in shown(None, "", "the server cancelled its request")
    words = [
        answer_word(each)
        for each in (yes, declining_reply(asks()), declining_reply(asks(), dismiss=True), ErrorReply(-1, ""), None)
    ]
    assert words == ["accepted", "declined", "cancelled", "refused", "withdrawn"]
    assert answer_word(Result({"roots": []})) == "answered"


def question_asks(
    kind: RequestKind = RequestKind.ELICITATION, *, cause: int | None = None, key: str = "", **params: Any
) -> ServerRequest:
    return ServerRequest(kind, params, 9, 9, 0, key=key, cause=cause)


def form(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def shown(server_request: ServerRequest, tape: Tape, patience_s: float | None = None) -> str:
    sections = server_request_sections(server_request, tape.journal, patience_s=patience_s)
    return "\n".join(plain(line) for section in sections for line in section_lines(section))


def test_context_has_server_call_and_age(tape: Tape) -> None:
    tape.initialized("2025-11-25", {"name": "harbour"}).call(1, "book")
    found = shown(
        question_asks(message="Which city?", cause=2, requestedSchema=form(city={"type": "string"})), tape, 90
    )
    assert "server   harbour" in found
    assert "request  tools/call book" in found
    assert "90.0 s after the start of the call" in found
    assert "Which city?" in found
    assert "Beware" not in found


def test_context_has_the_cancelled_call(tape: Tape) -> None:
    tape.initialized("2025-11-25", {"name": "harbour"}).call(1, "book")
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    found = shown(question_asks(message="Which city?", cause=2), tape, 90)
    assert "call     cancelled" in found
    assert "after the start" not in found


def test_context_without_a_call(tape: Tape) -> None:
    found = shown(question_asks(message="Hm?", cause=99), tape, 90)
    assert "not associated with a call" in found
    assert "gives up" not in found
    assert asked_by(tape.journal) == "the server"
    assert cause_summary(question_asks(cause=None), tape.journal) == ""


def test_fields_that_look_like_secrets_are_flagged(tape: Tape) -> None:
    schema = form(
        apiKey={"type": "string"},
        user_password={"type": "string"},
        card={"type": "string", "title": "Credit card number"},
        x={"type": "string", "format": "password"},
        y={"type": "string", "description": "The one-time code we sent you"},
        spinning={"type": "string"},
        city={"type": "string", "title": "City"},
    )
    assert secret_fields(schema) == ("apiKey", "user_password", "card", "x", "y")
    assert "servers must not request this in a form" in shown(question_asks(requestedSchema=schema), tape)


def test_secret_fields_ignore_similar_words() -> None:
    warns = "Your favorite integer (do not give us your phone number, pin, or other sensitive info)"
    schema = form(
        integer={"type": "integer", "description": warns},
        secretary={"type": "string"},
        maxTokens={"type": "integer"},
        tokenizer={"type": "string", "description": "Never a password."},
        pin={"type": "string", "description": "Never shown to others. The pin of your card"},
        note={"type": "string", "description": "Don't be shy; your password, please"},
    )
    assert secret_fields(schema) == ("pin", "note")


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (form(a={"type": "string"}, b={"type": "array", "items": {"enum": ["x"]}}), ""),
        (form(a={"type": "object"}, b={"type": "array", "items": {}}), "no simple value: a, b"),
        (None, "not an object with properties"),
        ({"type": "string"}, "not an object with properties"),
        ({"type": "object", "properties": []}, "not an object with properties"),
    ],
)
def test_schema_beyond_a_form_is_reported(schema: Any, says: str, tape: Tape) -> None:
    assert says in beyond_a_form(schema)
    assert bool(says) == ("beyond a form" in shown(question_asks(requestedSchema=schema), tape))


def test_a_link_shows_its_host_and_all_of_it(tape: Tape) -> None:
    found = shown(question_asks(mode="url", message="Please pay", url="https://pay.example/x?y=1"), tape)
    assert "host  pay.example" in found
    assert "https://pay.example/x?y=1" in found


def test_sampling_shows_its_messages_and_roots_that_they_are_advice(tape: Tape) -> None:
    messages = [{"role": "user", "content": {"type": "text", "text": "Why?"}}]
    assert "Why?" in shown(question_asks(RequestKind.SAMPLING, messages=messages), tape)
    assert "Roots are advisory" in shown(question_asks(RequestKind.ROOTS, key="r"), tape)
    assert "key      r" in shown(question_asks(RequestKind.ROOTS, key="r"), tape)


def test_request_summary_is_one_safe_line(tape: Tape) -> None:
    tape.call(1, "bo\x1b[31mok")
    assert request_summary(question_asks(message="Which\n city\x1b?")) == "Which city␛?"
    assert request_summary(question_asks()) == "no text"
    assert request_summary(question_asks(RequestKind.ROOTS)) == "which directories to work in"
    assert (
        request_summary(question_asks(RequestKind.SAMPLING, messages=[{"content": {"type": "text", "text": "Why?"}}]))
        == "Why?"
    )
    assert cause_summary(question_asks(cause=1), tape.journal) == "bo␛[31mok"
    kinds = [
        question_asks(),
        question_asks(mode="url"),
        question_asks(RequestKind.SAMPLING),
        question_asks(RequestKind.ROOTS),
    ]
    assert [kind_word(each) for each in kinds] == ["form", "link", "sampling", "roots"]


def test_url_elicitation_section_has_refusal_and_completion(tape: Tape) -> None:
    tape.initialized("2025-11-25").call(5, "buy")
    pay = {"mode": "url", "message": "Pay.", "url": "https://pay.example", "elicitationId": "e1"}
    error = {"code": -32042, "message": "first pay", "data": {"elicitations": [pay]}}
    tape.from_server({"jsonrpc": "2.0", "id": 5, "error": error})
    (server_request,) = tape.journal.conversation.server_requests
    found = shown(server_request, tape)
    assert "rejected until the URL is opened (error -32042)" in found
    assert "answered together" not in found
    assert "not yet" in found
    tape.notify("notifications/elicitation/complete", {"elicitationId": "e1"})
    assert "complete" in shown(server_request, tape)


class Long(str):
    """A text that says how much of it was read."""

    read = 0

    def split(self, *args: Any, **more: Any) -> list[str]:
        Long.read = max(Long.read, len(self))
        return super().split(*args, **more)

    def __getitem__(self, key: Any) -> str:
        return Long(super().__getitem__(key))


def test_summary_of_a_long_message_reads_the_beginning() -> None:
    assert request_summary(question_asks(message=Long("word " * 200_000))).startswith("word word")
    assert 0 < Long.read < 10_000


def words(journal: Journal, *, goes_on: bool = True) -> list[str]:
    server_requests = journal.conversation.server_requests
    return [
        recorded_state_word(each, journal, recorded_state(each, journal, goes_on=goes_on)) for each in server_requests
    ]


def test_an_answer_is_known_from_its_entry_on(tape: Tape) -> None:
    tape.initialized("2025-11-25")
    tape.call(1, "book")
    asked = tape.server_request("q", "elicitation/create", {"message": "Which city?"})
    answered = tape.client_answer("q", {"action": "accept", "content": {"city": "Ghent"}})
    past = History(tape.journal)
    assert words(past.at(asked - 1)) == []
    assert words(past.at(asked)) == ["waiting"]
    assert words(past.at(asked), goes_on=False) == ["no response"]
    then = past.at(answered)
    server_request = then.conversation.server_requests[0]
    standing = recorded_state(server_request, then, goes_on=True)
    assert recorded_state_word(server_request, then, standing) == "accepted"
    section = answered_section(server_request, then, standing)
    assert section is not None
    assert (section.title, section.facts[0].value) == ("Answered", f"the client, in #{answered}")
    assert '"Ghent"' in "".join(map(plain, section.lines))
    before = past.at(asked)
    assert answered_section(server_request, before, recorded_state(server_request, before, goes_on=True)) is None


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        ({"error": {"code": -1, "message": "no"}}, "refused"),
        ({"error": 7}, "refused"),
        ({"result": 7}, "answered"),
        ({"result": {"action": "decline"}}, "declined"),
    ],
)
def test_any_answer_has_a_word(tape: Tape, reply: dict[str, object], word: str) -> None:
    tape.call(1, "book")
    tape.server_request("q", "sampling/createMessage", {})
    tape.to_server({"jsonrpc": "2.0", "id": "q", **reply})
    server_request = tape.journal.conversation.server_requests[0]
    standing = recorded_state(server_request, tape.journal, goes_on=True)
    assert recorded_state_word(server_request, tape.journal, standing) == word
    came = reply_to(server_request, tape.journal, standing)
    assert isinstance(came, ErrorReply if "error" in reply else Result)


def test_request_cancelled_by_the_server_waits_no_longer(tape: Tape) -> None:
    tape.call(1, "book")
    tape.server_request("q", "elicitation/create", {"message": "Which city?"})
    tape.notify("notifications/cancelled", {"requestId": "q", "reason": "never mind"})
    assert words(tape.journal) == ["withdrawn"]
    server_request = tape.journal.conversation.server_requests[0]
    section = answered_section(server_request, tape.journal, recorded_state(server_request, tape.journal, goes_on=True))
    assert section is not None
    assert "never mind" in "".join(map(plain, section.lines))


def test_stateless_retry_answers_by_key(tape: Tape) -> None:
    declared = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    arguments = {"name": "book", "arguments": {}, "_meta": declared}
    tape.request(1, "tools/call", arguments)
    asks = {"city": {"method": "elicitation/create", "params": {"message": "Which?"}}}
    asked = tape.answer(1, {"resultType": "input_required", "inputRequests": asks})
    retried = tape.request(2, "tools/call", arguments | {"inputResponses": {"city": {"action": "cancel"}}})
    past = History(tape.journal)
    assert words(past.at(asked)) == ["waiting"]
    assert words(past.at(retried)) == ["cancelled"]


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAAElFTkSuQmCC"


def sampling_shown(params: Any) -> str:
    return "\n".join(plain(line) for section in sampling_sections(params) for line in section_lines(section))


def says(*content: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": content[0] if len(content) == 1 else list(content)}


def test_prompt_messages_and_wishes_are_all_there() -> None:
    found = sampling_shown(
        {
            "systemPrompt": "Be brief.",
            "messages": [says({"type": "text", "text": "Why is the\nsea salt?"})],
            "maxTokens": 1000,
            "temperature": 0.25,
            "stopSequences": ["\n\n", "END"],
            "includeContext": "thisServer",
            "metadata": {"k": 1},
            "modelPreferences": {"hints": [{"name": "small"}, {"name": "large"}], "costPriority": 0.5},
            "tools": [{"name": "weigh", "description": "Weighs.", "inputSchema": {"properties": {"what": {}}}}],
            "toolChoice": {"mode": "required"},
        }
    )
    for expected in (
        "System prompt\n  Be brief.",
        "1 user\n    Why is the\n    sea salt?",
        "max tokens      1,000",
        "models          small, then large",
        "cost priority   0.5 of 1",
        "temperature     0.25",
        'stop sequences  "\\n\\n", "END"',
        "context         thisServer (mcp-inspect adds no context)",
        "tool choice     required",
        'metadata        {"k":1}',
        "weigh  (what) Weighs.",
    ):
        assert expected in found


def test_blocks_that_are_no_text_are_facts() -> None:
    picture = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    use = {"type": "tool_use", "id": "t1", "name": "weigh", "input": {"what": "salt"}}
    back = {
        "type": "tool_result",
        "toolUseId": "t1",
        "isError": True,
        "content": [{"type": "text", "text": "no scale"}],
    }
    found = sampling_shown({"messages": [says(picture), says(use, role="assistant"), says(back)], "maxTokens": 1})
    assert "2 × 3" in found
    assert "tool call" in found
    assert 'input  {"what":"salt"}' in found
    assert "tool result (an error): t1" in found
    assert "no scale" in found


@pytest.mark.parametrize("params", [None, [], {"messages": "x"}, {"messages": [None, {"content": [3]}, {"role": 1}]}])
def test_nonsense_is_shown_as_what_it_is(params: Any) -> None:
    assert "Messages" in sampling_shown(params)
    assert "missing (required)" in sampling_shown(params)


def test_long_sampling_request_is_cut_with_a_count() -> None:
    found = sampling_shown({"messages": [says({"type": "text", "text": "m"})] * 1000, "maxTokens": 1})
    assert f"and {1000 - MOST_MESSAGES} more" in found


def test_results_within_results_come_to_an_end() -> None:
    block: dict[str, Any] = {"type": "text", "text": "the bottom"}
    for _ in range(50):
        block = {"type": "tool_result", "toolUseId": "t", "content": [block]}
    assert "the bottom" not in sampling_shown({"messages": [says(block)], "maxTokens": 1})


def test_nothing_in_the_server_s_words_acts() -> None:
    hostile = "\x1b[31m"
    messages = [says({"type": "text", "text": hostile}, role=hostile)]
    assert "\x1b" not in sampling_shown({"systemPrompt": hostile, "messages": messages, "maxTokens": 1})


def test_last_text_is_the_newest_text() -> None:
    messages = [
        says({"type": "text", "text": "first"}),
        says({"type": "image"}),
        says({"type": "text", "text": "last"}),
    ]
    assert last_text({"messages": messages}) == "last"
    assert last_text({"messages": [says({"type": "image"})]}) == ""
