"""What is watched, in words: the filter of a stream, how it stands with one resource, and a row's mark.

A mark is a sign and a word. What a server was asked for and what it has granted are two things, and both are shown.
"""

from collections.abc import Callable, Iterable

from inspector.protocol.tracking.subscriptions import Filter, Standing, Stream, Subscriptions
from inspector.viewmodels import signs, text
from inspector.viewmodels.lines import Line
from inspector.viewmodels.roles import Span

_MOST_NAMED = 3
"""URIs that are named; the rest are counted."""
_MOST_CHARACTERS = 120
_MANY = 9999

_STANDINGS: dict[Standing, Span] = {
    Standing.WATCHED: (f"{signs.CONNECTED} watched", "accent"),
    Standing.ASKED: (f"{signs.PENDING} asked to watch", "pending"),
    Standing.NOT_GRANTED: (f"{signs.WARNING} watching not granted", "warning"),
    Standing.ONCE: (f"{signs.DISCONNECTED} was watched", "faint"),
}


def filter_words(wanted: Filter) -> str:
    """What a filter has, in words that are safe to show: "tools, resources, demo://a and 3 more"; "" for nothing."""
    kinds = [name for name in ("tools", "prompts", "resources") if getattr(wanted, name)]
    lists = [f"list{'' if len(kinds) == 1 else 's'} of {_listed(kinds)}"] if kinds else []
    tasks = [f"{len(wanted.task_ids):,} task{'' if len(wanted.task_ids) == 1 else 's'}"] if wanted.task_ids else []
    named = [text.visible(uri, limit=_MOST_CHARACTERS) for uri in wanted.uris[:_MOST_NAMED]]
    more = len(wanted.uris) - len(named)
    return ", ".join([*lists, *tasks, *named, *([f"{more:,} more"] if more > 0 else [])])


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def stream_lines(subscriptions: Subscriptions) -> list[Line]:
    """What the newest stream listens for, and what of it the server did not grant; [] if there never was one."""
    streams = subscriptions.streams
    newest = next((each for each in reversed(streams) if each.is_open), streams[-1] if streams else None)
    if newest is None:
        watched = [uri for uri, still in list(subscriptions.subscribed.items()) if still]
        return [_watching(Filter(uris=tuple(watched)))] if watched else []
    return _of_stream(newest)


def _watching(granted: Filter) -> Line:
    return (f"{signs.CONNECTED} ", "accent"), ("watching ", "muted"), (filter_words(granted) or "nothing", "text")


def _of_stream(stream: Stream) -> list[Line]:
    if stream.granted is None:
        words = "asked to hear of" if stream.is_open else "never acknowledged:"
        sign, role = (signs.PENDING, "pending") if stream.is_open else (signs.WARNING, "warning")
        return [((f"{sign} {words} ", role), (filter_words(stream.asked), "muted"))]  # type: ignore[list-item]
    if not stream.is_open:
        return [((f"{signs.DISCONNECTED} ended: ", "faint"), (filter_words(stream.granted) or "nothing", "faint"))]
    lines = [_watching(stream.granted)]
    if stream.not_granted:
        lines.append(((f"{signs.WARNING} not granted: {filter_words(stream.not_granted)}", "warning"),))
    return lines


def standing_of(subscriptions: Subscriptions, uris: Iterable[str]) -> Standing | None:
    """How it stands with a thing that may be several URIs: the best of them."""
    found = {subscriptions.standing(uri) for uri in uris}
    return next((each for each in Standing if each in found), None)


def mark(subscriptions: Subscriptions, uris: Iterable[str], *, short: bool = False) -> Line:
    """What a row says of it, in few cells: that it is watched, and how often it was updated since it was read.

    `short`: the second alone, if there is something to say of it.
    """
    uris = tuple(uris)
    standing = standing_of(subscriptions, uris)
    count = sum(subscriptions.since_read(uri) for uri in uris)
    spans: list[Span] = []
    if standing is not None and not (short and count > 0):
        said, role = _STANDINGS[standing]
        spans.append((said if standing is not Standing.ASKED else f"{signs.PENDING} asked", role))
    if count > 0:
        spans.append((f"{signs.EVENT} updated{_times(count)}", "strong"))
    return tuple(part for each in spans for part in ((" ", "text"), each))


def _times(count: int) -> str:
    return "" if count == 1 else f" {signs.TIMES}{count:,}" if count <= _MANY else f" {signs.TIMES}{_MANY:,}+"


def about(subscriptions: Subscriptions, uri: str, wall_of: Callable[[int], int]) -> Line:
    """How it stands with one resource, in a line; () if there is nothing to say. `wall_of` dates a frame."""
    standing, update = subscriptions.standing(uri), subscriptions.updates.get(uri)
    spans: list[Span] = [] if standing is None else [_STANDINGS[standing]]
    if update is not None:
        since = subscriptions.since_read(uri)
        times = "once" if update.count == 1 else f"{update.count:,} times"
        fresh = f", {since:,} since it was read" if since else ", read since"
        last = text.clock(wall_of(update.frame))
        spans += [
            ("  " if spans else "", "text"),
            (f"{signs.EVENT} updated {times}{fresh}", "strong" if since else "muted"),
        ]
        spans.append((f", last {last} (#{update.frame})", "muted"))
    return tuple(spans)
