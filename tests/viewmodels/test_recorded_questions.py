"""How a recorded question stood at a moment, in both eras, and what was answered."""

import pytest

from inspector.capture.journal import Journal
from inspector.capture.past import Past
from inspector.protocol.questions import Refusal, Result
from inspector.viewmodels.lines import plain
from inspector.viewmodels.recorded_questions import answered_section, reply_to, standing_of, standing_word
from tests.viewmodels.tape import Tape


def words(journal: Journal, *, goes_on: bool = True) -> list[str]:
    questions = journal.conversation.questions
    return [standing_word(each, journal, standing_of(each, journal, goes_on=goes_on)) for each in questions]


def test_an_answer_is_known_from_its_entry_on(tape: Tape) -> None:
    tape.initialized("2025-11-25")
    tape.call(1, "book")
    asked = tape.server_request("q", "elicitation/create", {"message": "Which city?"})
    answered = tape.client_answer("q", {"action": "accept", "content": {"city": "Ghent"}})
    past = Past(tape.journal)
    assert words(past.at(asked - 1)) == []
    assert words(past.at(asked)) == ["waits"]
    assert words(past.at(asked), goes_on=False) == ["no answer"]
    then = past.at(answered)
    question = then.conversation.questions[0]
    standing = standing_of(question, then, goes_on=True)
    assert standing_word(question, then, standing) == "accepted"
    section = answered_section(question, then, standing)
    assert section is not None
    assert (section.title, section.facts[0].value) == ("Answered", f"the client, in #{answered}")
    assert '"Ghent"' in "".join(map(plain, section.lines))
    before = past.at(asked)
    assert answered_section(question, before, standing_of(question, before, goes_on=True)) is None


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
    question = tape.journal.conversation.questions[0]
    standing = standing_of(question, tape.journal, goes_on=True)
    assert standing_word(question, tape.journal, standing) == word
    came = reply_to(question, tape.journal, standing)
    assert isinstance(came, Refusal if "error" in reply else Result)


def test_what_the_server_gave_up_waits_for_nobody(tape: Tape) -> None:
    tape.call(1, "book")
    tape.server_request("q", "elicitation/create", {"message": "Which city?"})
    tape.notify("notifications/cancelled", {"requestId": "q", "reason": "never mind"})
    assert words(tape.journal) == ["withdrawn"]
    question = tape.journal.conversation.questions[0]
    section = answered_section(question, tape.journal, standing_of(question, tape.journal, goes_on=True))
    assert section is not None
    assert "never mind" in "".join(map(plain, section.lines))


def test_in_the_stateless_era_a_retry_brings_the_answer_by_its_name(tape: Tape) -> None:
    declared = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    arguments = {"name": "book", "arguments": {}, "_meta": declared}
    tape.request(1, "tools/call", arguments)
    asks = {"city": {"method": "elicitation/create", "params": {"message": "Which?"}}}
    asked = tape.answer(1, {"resultType": "input_required", "inputRequests": asks})
    retried = tape.request(2, "tools/call", arguments | {"inputResponses": {"city": {"action": "cancel"}}})
    past = Past(tape.journal)
    assert words(past.at(asked)) == ["waits"]
    assert words(past.at(retried)) == ["cancelled"]
