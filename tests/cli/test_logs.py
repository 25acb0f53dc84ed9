"""The log on stderr: visible, held back while an interface has the terminal, gone afterwards."""

import io
import logging

from inspector.cli.logs import held_log, narrated_log
from inspector.cli.world import World

logger = logging.getLogger("inspector.somewhere")


def test_warnings_are_shown_without_what_acts_and_lesser_things_are_not() -> None:
    stderr = io.StringIO()
    with narrated_log(World(stderr=stderr)):
        logger.warning("it said %s", "\x1b[2J")
        logger.info("by the way")
    logger.warning("after")
    assert stderr.getvalue() == "WARNING inspector.somewhere: it said ␛[2J\n"


def test_while_held_nothing_is_shown_and_then_all() -> None:
    stderr = io.StringIO()
    with narrated_log(World(stderr=stderr)):
        with held_log():
            logger.error("one")
            assert stderr.getvalue() == ""
        logger.error("two")
    assert stderr.getvalue().splitlines() == ["ERROR inspector.somewhere: one", "ERROR inspector.somewhere: two"]
