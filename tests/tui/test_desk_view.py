"""What a subject says of questions: nothing where nobody asks, the desk's own words in a live conversation."""

from inspector.protocol.questions import Kind, Question, accepted
from inspector.session.desk import Ticket
from inspector.tui.desk_view import DeskView, LiveDeskView


async def test_where_nobody_asks_nothing_is_answered() -> None:
    view = DeskView()
    assert (view.tickets, view.desk_changes, view.roots, view.patience_s, view.proposer) == ((), 0, (), None, None)
    ticket = Ticket(1, Question(Kind.SAMPLING, {}, 1, 1, 0))
    await view.consult(ticket, {})
    await view.stop_consulting(ticket)
    assert not await view.answer(ticket, accepted())
    assert ticket.proposal is None


def test_a_live_view_has_every_word_of_its_own() -> None:
    ours = {name for name in vars(DeskView) if not name.startswith("_")}
    assert ours <= set(vars(LiveDeskView))
