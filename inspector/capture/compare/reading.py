"""Reading a capture for comparing: what its operations came to, told while it is taken in, in one go."""

from pathlib import Path

import msgspec

from inspector.capture.compare.operations import Accounts, Teller
from inspector.capture.load import Loading, finish


class Read(msgspec.Struct, frozen=True):
    """A capture that was read."""

    accounts: Accounts
    notices: tuple[str, ...]
    """What a person should know about the file; may quote names of files."""


def read_accounts(path: Path) -> Read:
    """The operations of a capture. Raises: CaptureError if the file is no capture or must not be read."""
    loading = Loading(path)
    conversation = loading.journal.conversation
    teller = Teller(conversation)
    loading.tell(teller)
    journal = finish(loading)
    try:
        return Read(teller.told(conversation.exchanges), journal.notices)
    finally:
        journal.close()
