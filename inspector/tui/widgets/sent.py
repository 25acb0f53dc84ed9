"""Messages that name the widget that posted them."""

from typing import Generic, TypeVar

from textual.message import Message
from textual.widget import Widget

_Sender = TypeVar("_Sender", bound=Widget)


class Sent(Message, Generic[_Sender]):
    """A message of a widget."""

    def __init__(self, control: _Sender) -> None:
        super().__init__()
        self._control = control

    @property
    def control(self) -> _Sender:
        """The sender."""
        return self._control
