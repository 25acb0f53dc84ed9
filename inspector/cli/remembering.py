"""What `check` holds a server against: what is remembered of it on this machine, or a lock file. And remembering it.

Reading is the rule, for a warning costs nothing. Writing is asked for in so many words, as it is an approval.
"""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.capture.journal import Journal
from inspector.cli.options import found_by_name
from inspector.cli.output import Output
from inspector.cli.world import World
from inspector.config.eras import process_key, url_key
from inspector.config.paths import places
from inspector.config.seen import SeenServer
from inspector.errors import UsageError
from inspector.protocol.fingerprints import INSTRUCTIONS, Remembered, known_of, known_text

_KINDS = ("tools", "prompts", "templates")


def target_key(world: World, url: str | None, options: Mapping[str, Any]) -> str:
    """The key of the target that a command line names, as targets make it; "" without one."""
    if world.theirs is not None:
        return process_key(world.theirs, Path(options.get("cwd") or ".").absolute())
    if (server := found_by_name(world, url)) is not None:
        from inspector.cli.choices import found_target

        return found_target(server, world.env).key
    return url_key(url) if url else ""


def seen_before(world: World, key: str, lock: Path | None, output: Output) -> Mapping[str, Remembered]:
    """What is known: of a lock file if one was named, else what is remembered under a key.

    Raises: UsageError for a file that is no surface.
    """
    if lock is not None:
        from inspector.capture.surfaces.lock_file import read_lock_file

        surface, odd = read_lock_file(lock)
        for said in odd:
            output.warn(said)
        locked = {kind: known_of(kind, surface.lists[kind], 0) for kind in _KINDS if kind in surface.lists}
        return locked if surface.server is None else locked | {INSTRUCTIONS: known_text(surface.instructions, 0)}
    return SeenServer(places(world.env).state, key).read() if key else {}


def remember(world: World, key: str, journal: Journal, output: Output) -> None:
    """Remember what a server offers now, in place of what was remembered. Raises: UsageError if that can't be."""
    conversation, now = journal.conversation, int(time.time())
    listings = conversation.catalogue.listings
    found = {kind: known_of(kind, listings[kind].items, now) for kind in _KINDS if listings[kind].whole}
    if conversation.opening is not None:
        found[INSTRUCTIONS] = known_text(conversation.opening.instructions, now)
    if not SeenServer(places(world.env).state, key).keep(found):
        raise UsageError("what the server offers can't be remembered", hint="Can the state directory be written?")
    if found:
        output.narrate("remembered what the server offers now: later changes are told")
