"""How much of a server is taken at most. Each limit has a default that no honest server reaches, and can be raised.

What is over a limit is refused with a sentence that names the limit; what came before it, and what comes after it,
stays.
"""

import msgspec

MESSAGE = 256 * 1024 * 1024
RATIO = 100
REDIRECTS = 5
PAGES = 1000
ITEMS = 100_000
SCHEMA = 100_000
PATTERN = 100


class Limits(msgspec.Struct, frozen=True):
    """What a person may raise, or lower."""

    message: int = MESSAGE
    """Bytes of one message: a line, a body, an event."""
    ratio: int = RATIO
    """How many bytes one byte of a compressed body may unpack to."""
    redirects: int = REDIRECTS
    """How often one request may be sent on to another address."""
    pages: int = PAGES
    """Of one list."""
    items: int = ITEMS
    """Of one list; the page with one too many is the last."""
    schema: int = SCHEMA
    """Parts of a schema that values are held against, and steps that takes. It holds for the whole process."""
    pattern: int = PATTERN
    """Milliseconds of a search for a schema's `pattern`. It holds for the whole process."""


LIMITS = Limits()
"""Those that hold where nobody says otherwise."""
