"""When Python looks for garbage during the tests: rarely, and never among what stays.

The app freezes all objects as if it were the only one of its process. Here hundreds of apps follow one another.
"""

import gc

freeze = gc.freeze
"""What `gc.freeze` does outside the tests: no collection looks at what exists now."""
_set_threshold = gc.set_threshold
_EVERY = 20
"""After so many apps what they left behind is collected."""
_apps_since = 0


def install() -> None:
    """From now on an app only counts where it would freeze all objects, and sets no thresholds."""
    gc.freeze = _count_app
    gc.set_threshold = lambda *_: None
    _set_threshold(50_000, 5, 5)


def _count_app() -> None:
    global _apps_since
    _apps_since += 1


def tidy() -> None:
    """Let Python collect garbage by itself, and collect what apps have left behind, now and then."""
    global _apps_since
    gc.enable()
    if _apps_since >= _EVERY:
        _apps_since = 0
        gc.collect()
