"""A subject whose journal a test fills by hand, at the stage that the test says."""

from inspector.tui.conversation import About, ConversationStage, OpenConversation
from tests.present.tape import Tape


class Staged(OpenConversation):
    """Shows a tape."""

    def __init__(
        self, tape: Tape, *, stage: ConversationStage = ConversationStage.OPEN, why: str = "", hint: str = ""
    ) -> None:
        super().__init__(tape.journal, About("staged"))
        self.tape = tape
        self.now_stage = stage
        self.now_why = why
        self.now_hint = hint

    @property
    def stage(self) -> ConversationStage:
        """What the test says."""
        return self.now_stage

    @property
    def why(self) -> str:
        """What the test says."""
        return self.now_why

    @property
    def hint(self) -> str:
        """What the test says."""
        return self.now_hint

    @property
    def now_ns(self) -> int:
        """The tape's clock."""
        return self.tape.now


def handshake(tape: Tape) -> Tape:
    """A conversation that has been opened, and has listed two tools."""
    tape.request(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "me"}})
    result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "shop"}}
    tape.wait(20).answer(1, result)
    tape.notify("notifications/initialized", by_client=True)
    tape.wait(5).request(2, "tools/list")
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("buy", "sell")]
    tape.wait(7).answer(2, {"tools": tools})
    return tape
