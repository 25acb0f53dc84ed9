"""Which hosts a command line names, and which tools other servers have beside the one it is about."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from inspector.checks.hosts.facts import Host
from inspector.checks.hosts.packs import HOSTS
from inspector.errors import UsageError
from inspector.protocol import peek


def chosen_hosts(words: Iterable[str]) -> tuple[Host, ...]:
    """The hosts of `--host` words, each a list with commas; () for none. “python-sdk” means every version of it.

    Raises: UsageError for a word that means no host.
    """
    chosen: dict[str, Host] = {}
    for word in (each.strip().lower() for words_ in words for each in words_.split(",")):
        found = [host for host in HOSTS.values() if host.id == word or host.id.rstrip("0123456789-") == word]
        if not found:
            known = ", ".join(HOSTS)
            raise UsageError(f"nothing is known of a host {word!r}", hint=f"Known are: {known}.")
        chosen |= {host.id: host for host in found}
    return tuple(chosen.values())


def tools_beside(paths: Sequence[Path]) -> dict[str, frozenset[str]]:
    """The names of the tools in captures of other servers, by the server's name.

    Raises: UsageError for what is no file.
    """
    from inspector.capture.lines import demand_file
    from inspector.capture.load import load

    beside: dict[str, frozenset[str]] = {}
    for path in paths:
        demand_file(path, "Name captures of the servers that are configured beside it.")
        journal = load(path)
        try:
            conversation = journal.conversation
            opening = conversation.opening
            name = (peek.text(opening.server, "name") if opening else None) or path.stem
            names = {peek.text(each, "name") for each in conversation.catalogue.listings["tools"].items}
            beside[name] = beside.get(name, frozenset()) | frozenset(each for each in names if each is not None)
        finally:
            journal.close()
    return beside
