"""What a subject has to tell of watching beside what its journal knows: streams that were cut, ended, or came back."""

from inspector.session.engine import Live


class WatchView:
    """Nothing is watched any more."""

    def watch_news(self) -> tuple[str, ...]:
        """What was said since the last time somebody asked; may quote the server."""
        return ()

    @property
    def wants_watched(self) -> tuple[str, ...]:
        """The resources that the person watches here."""
        return ()

    def watch_first(self, uris: tuple[str, ...]) -> None:
        """Watch these as soon as there is a connection."""


class LiveWatchView(WatchView):
    """What the session says."""

    _live: Live
    _watch_told: int = 0

    def watch_news(self) -> tuple[str, ...]:
        """What was said since the last time. Nearly free while nothing was."""
        said = self._live.session.watching.said if self._live.session else []
        news = tuple(said[self._watch_told :])
        self._watch_told += len(news)
        return news

    @property
    def wants_watched(self) -> tuple[str, ...]:
        """The resources that are to be watched, granted or not."""
        return self._live.session.watching.wanted.uris if self._live.session else self._live.watch_first

    def watch_first(self, uris: tuple[str, ...]) -> None:
        """Watch these once this conversation is open."""
        self._live.watch_first = uris
