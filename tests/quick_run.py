"""Which tests run when `pytest` is called without paths: those that show most in a second.

The others start real servers, drive whole sessions in a terminal, or look at the whole source. `--run=rest` runs those,
`--run=whole` all; `.ci/run` runs both parts. A folder or a file that is named runs whole.
"""

from collections.abc import Container
from functools import cache
from pathlib import PurePath
from typing import Final

LEFT_OUT: Final = (
    "architecture",
    "clients",
    "fuzzing",
    "screens",
    "servers",
    "stories",
    "capture/store/test_fold_fast_path.py",
    "capture/store/test_history.py",
    "capture/store/test_load.py",
    "checks/test_advice.py",
    "cli/commands/test_app.py",
    "cli/commands/test_bench.py",
    "cli/commands/test_blame.py",
    "cli/commands/test_call.py",
    "cli/commands/test_check.py",
    "cli/commands/test_listen.py",
    "cli/commands/test_probe.py",
    "cli/commands/test_profile.py",
    "cli/commands/test_tap.py",
    "cli/test_bad_captures.py",
    "cli/test_headless.py",
    "cli/test_interface.py",
    "cli/test_names_of_servers.py",
    "cli/test_prepared_answers.py",
    "cli/test_requests.py",
    "cli/test_watching.py",
    "features/bench/test_running.py",
    "features/blame/test_play.py",
    "features/blame/test_search.py",
    "features/cases/test_pytest_file.py",
    "features/export/test_html.py",
    "features/export/test_python.py",
    "features/share/test_hard_places.py",
    "features/share/test_line_secrets.py",
    "features/share/test_share.py",
    "features/tap/test_control.py",
    "features/tap/test_http.py",
    "features/tap/test_killed.py",
    "features/tap/test_real_clients.py",
    "features/tap/test_relay.py",
    "features/watch/test_watcher.py",
    "present/test_garbage.py",
    "present/traffic/test_log.py",
    "schemas/test_typing.py",
    "serve/test_stdio.py",
    "serve/tools/test_tools.py",
    "session/test_kept_memory.py",
    "test_language.py",
    "tui/screens/compose/test_sending.py",
    "tui/screens/findings/test_panel.py",
    "tui/screens/help/test_commands.py",
    "tui/screens/inbox/test_panel.py",
    "tui/screens/inbox/test_sampling.py",
    "tui/screens/items/test_asking.py",
    "tui/screens/items/test_definition_changes.py",
    "tui/screens/items/test_dialogs.py",
    "tui/screens/items/test_offers.py",
    "tui/screens/items/test_panel.py",
    "tui/screens/items/test_prompts.py",
    "tui/screens/items/test_resources.py",
    "tui/screens/items/test_saved.py",
    "tui/screens/items/test_tools.py",
    "tui/screens/login/test_credentials.py",
    "tui/screens/notes/test_notes.py",
    "tui/screens/server/test_panel.py",
    "tui/screens/skills/test_panel.py",
    "tui/screens/tap/test_dialog.py",
    "tui/screens/test_tools_again.py",
    "tui/screens/traffic/test_actions.py",
    "tui/screens/traffic/test_detail.py",
    "tui/screens/traffic/test_navigation.py",
    "tui/screens/traffic/test_timeline.py",
    "tui/test_app.py",
    "tui/test_app_parts.py",
    "tui/test_at_rest.py",
    "tui/test_bars.py",
    "tui/test_blaming.py",
    "tui/test_replay_controls.py",
    "tui/test_restarts.py",
    "tui/test_side_by_side.py",
    "tui/test_tabs.py",
    "tui/widgets/schema_form/test_fields.py",
    "tui/widgets/schema_form/test_typing.py",
)
"""Folders and files below `tests/`: each takes more than two seconds, most of them far more."""
KEPT: Final = ("architecture/test_errors.py",)
"""Of these folders, the files that run nevertheless."""


@cache  # it is asked for each test
def is_quick(path: str) -> bool:
    """Whether the tests of a file run without `--run=whole`; the path is relative to `tests/`."""
    return _is_in(path, KEPT) or not _is_in(path, LEFT_OUT)


def _is_in(path: str, places: Container[str]) -> bool:
    return path in places or any(str(folder) in places for folder in PurePath(path).parents)
