"""Opening a question's link in the browser: a library call with a URL that was checked, and never a shell."""

import os
import webbrowser
from collections.abc import Callable

from inspector.protocol.questions import Question
from inspector.viewmodels.links import read_link

_THEN = {False: "Accept", True: "Call again"}
Say = Callable[[str, bool], None]
"""Tells the person, and whether it is a warning."""


def open_link(question: Question, say: Say) -> bool:
    """Open it if it leads to the web; whether that was done."""
    link = read_link(question.url)
    if not link.openable:
        say(f"Not opened: {link.why_not or 'this question has no link'}.", True)
    elif os.environ.get("SSH_CONNECTION"):
        say("This terminal is on another machine: copy the link from here.", False)
    elif webbrowser.open(link.openable):
        say(f"Opened in the browser: {link.host}. {_THEN[question.visit]} once it is done.", False)
        return True
    else:
        say("No browser was found: copy the link from here.", True)
    return False
