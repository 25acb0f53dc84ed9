"""What the app asks of its opener: the command line's own is one."""

import io

from inspector.cli.sittings import Servers
from inspector.cli.world import World
from inspector.tui.opening import Opener


def test_the_command_lines_servers_open_what_the_app_asks_for(home: object) -> None:
    opener: Opener = Servers(World(None, {"HOME": "/nowhere"}, io.StringIO(), io.StringIO(), io.StringIO()))
    servers, _ = opener.found()
    assert isinstance(servers, tuple)
