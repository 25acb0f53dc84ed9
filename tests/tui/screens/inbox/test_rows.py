"""The rows of the Inbox."""

from inspector.present.spans import plain
from inspector.protocol.server_requests import ErrorReply, RequestKind, Result, accepted, declined
from inspector.tui.conversation import ConversationStage, ReplayedConversation, past_of
from inspector.tui.screens.inbox.model import answered_section
from inspector.tui.screens.inbox.rows import InboxRows, age
from tests.present.tape import Tape
from tests.tui.screens.asking import Asking
from tests.tui.staging import Staged


async def test_inbox_row_has_state_age_call_and_message() -> None:
    subject = Asking()
    ticket = subject.ask_city()
    subject.tape.wait(12_400)
    rows = InboxRows(subject)
    assert rows.take()
    assert not rows.take()
    view = rows.row(0, 79)
    assert plain(view.spans).split() == ["◆", "Waiting", "12", "s", "form", "book:", "Which", "city?"]
    assert view.live
    assert age(ticket.server_request, subject.now_ns) == "12 s"


async def test_each_end_has_its_word() -> None:
    subject = Asking()
    await subject.inbox.answer(subject.ask_city(), declined())
    await subject.inbox.answer(subject.ask_model(), ErrorReply(-1, "no"))
    await subject.inbox.answer(subject.ask(RequestKind.ROOTS), Result({"roots": []}))
    subject.withdraw(subject.ask_link(), "gone")
    rows = InboxRows(subject)
    rows.take()
    words = [plain(rows.row(at, 79).spans).split()[1] for at in range(rows.count)]
    assert words == ["Withdrawn", "Answered", "Refused", "Declined"]
    assert not rows.row(0, 79).live
    assert rows.unanswered == ()


def test_a_completed_row_has_the_duration_until_the_response_and_not_the_age(tape: Tape) -> None:
    tape.server_request("q", "elicitation/create", {"message": "Which city?"})
    tape.wait(3_000)
    tape.client_answer("q", {"action": "decline"})
    tape.server_request("r", "elicitation/create", {"message": "Which street?"})
    tape.wait(500)
    tape.notify("notifications/cancelled", {"requestId": "r", "reason": "no more"})
    tape.wait(60_000)
    tape.server_request("s", "elicitation/create", {"message": "Which house?"})
    tape.wait(2_000)
    rows = InboxRows(Staged(tape, stage=ConversationStage.RECORDED))
    rows.take()
    shown = [plain(rows.row(at, 79).spans).split() for at in range(rows.count)]
    took = {line[-1]: line[1:-2] for line in shown}
    assert "3.00" in took["city?"]
    assert not {"62.0", "61.5", "65.0", "62.5"} & {word for line in shown for word in line}
    assert took["street?"] == ["Withdrawn", "form"]


async def test_a_question_keeps_its_name_when_rows_move() -> None:
    subject = Asking()
    first, second = subject.ask_city("a"), subject.ask_city("b")
    rows = InboxRows(subject)
    rows.take()
    key = rows.asked[0].key
    before = rows.generation
    await subject.inbox.answer(first, declined())
    assert rows.take()
    assert rows.generation != before
    assert (rows.index_of_server_request(key), rows.asked[0].ticket) == (1, second)
    assert rows.index_of_server_request(None) == -1


def test_a_recording_s_questions_stand_as_they_did_at_the_moment(tape: Tape) -> None:
    tape.call(1, "book")
    tape.server_request("q", "elicitation/create", {"message": "Which city?"})
    tape.server_request("r", "roots/list")
    tape.client_answer("r", {"roots": []})
    whole = Staged(tape, stage=ConversationStage.RECORDED)
    then = ReplayedConversation(whole, past_of(whole).at(2))
    rows = InboxRows(then)
    assert rows.take()
    assert "Waiting" in plain(rows.row(0, 79).spans)
    assert (rows.count, rows.waited, rows.unanswered) == (1, 1, ())
    then.moment.advance(4)
    assert rows.take()
    shown = [plain(rows.row(at, 79).spans) for at in range(rows.count)]
    assert "book: Which city?" in shown[0], "what waits stands first"
    assert "Answered" in shown[1]
    tape.client_answer("q", {"action": "decline"})
    then.moment.advance(5)
    assert rows.take()
    assert (rows.waited, "Declined" in plain(rows.row(1, 79).spans)) == (0, True)


async def test_completed_url_elicitation_is_marked() -> None:
    subject = Asking()
    subject.ask(mode="url", message="Pay.", url="https://pay.example", elicitationId="e1")
    rows = InboxRows(subject)
    rows.take()
    assert "Waiting" in plain(rows.row(0, 79).spans)
    subject.tape.notify("notifications/elicitation/complete", {"elicitationId": "e1"})
    assert rows.take()
    assert "Complete" in plain(rows.row(0, 79).spans)


async def test_answer_that_did_not_reach_the_server_is_marked() -> None:
    subject = Asking()
    ticket = subject.ask_city("Newest?")
    await subject.inbox.answer(ticket, accepted({"city": "Oslo"}))
    ticket.undelivered = "the server responded with HTTP 404"
    rows = InboxRows(subject)
    rows.take()
    assert plain(rows.row(0, 100).spans).split()[1:3] == ["Not", "sent"]


async def test_dropped_ticket_is_read_from_the_journal() -> None:
    subject = Asking()
    for n, reply in ((901, {"action": "decline"}), (902, {"action": "accept", "content": {"city": "Oslo"}})):
        subject.tape.server_request(n, "elicitation/create", {"message": f"Which city, {n}?"})
        subject.tape.client_answer(n, reply)
    subject.inbox.answered_earlier = [each.exchange for each in subject.journal.conversation.server_requests]
    await subject.inbox.answer(subject.ask_city("Newest?"), declined())
    rows = InboxRows(subject)
    assert rows.take()
    lines = [plain(rows.row(at, 100).spans) for at in range(rows.count)]
    assert [line.split()[1] for line in lines] == ["Declined", "Accepted", "Declined"]
    assert ["Newest?" in lines[0], "902?" in lines[1], "901?" in lines[2]] == [True] * 3
    over = rows.asked[1]
    assert over.stood is not None
    answered = answered_section(over.server_request, subject.journal, over.stood)
    assert answered is not None
    assert "Oslo" in str(answered), "it can still be opened with its answer"
