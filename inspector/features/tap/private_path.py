"""The path that a client must know to use a tap that adds credentials.

Other users of the machine can connect to the tap's port. The path is derived from a key that only its owner can read,
so that `tap install` writes the same path into a client's file that `tap http` demands.
"""

import hmac
import secrets
from pathlib import Path
from urllib.parse import urlsplit

from inspector.atomic_write import replace_file
from inspector.errors import UsageError

_DIGITS = 32
_KEY_BYTES = 32


def private_path(state: Path, url: str) -> str:
    """Return the path for the taps of a server's origin: a slash and 32 hexadecimal digits.

    `state`: the user's state directory. Raises: UsageError if the key can't be stored or read.
    """
    file = state / "tap-key"
    try:
        if not file.exists():
            replace_file(file, secrets.token_bytes(_KEY_BYTES))
        key = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}, the key of private paths, can't be used: {error.strerror}") from None
    if len(key) != _KEY_BYTES:
        raise UsageError(f"{file} is not a key of {_KEY_BYTES} bytes", hint="Delete it; a new one is made.")
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()
    return f"/{hmac.digest(key, origin.encode(), 'sha256').hex()[:_DIGITS]}"


def below(path: str, target: str) -> str | None:
    """Return the rest of a request's target below a private path; None if it is not below it."""
    if not hmac.compare_digest(target[: len(path)].encode(), path.encode()):
        return None
    rest = target[len(path) :]
    if rest and rest[0] not in "/?":
        return None
    return rest if rest.startswith("/") else f"/{rest}"
