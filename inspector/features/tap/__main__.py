"""`python -I -m inspector.features.tap [OPTIONS] -- CMD…` and `mcp-tap`: the wrapper that a client starts.

A failure before the server is started must not separate the client from its server: the server's command then
replaces this process, with one line on stderr.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from inspector.features.tap.options import Options
    from inspector.features.tap.processes import ServerProcess
    from inspector.features.tap.recording import RecordingQueue
    from inspector.features.tap.relay import Relay


def main() -> "NoReturn":
    """Run the tap with this process's command line. It ends as the server ends."""
    argv = sys.argv[1:]
    try:
        from inspector.features.tap.relay import run

        run(argv, _record, _arm, _set_up, _judge_end)
    except Exception as error:  # noqa: BLE001 - the border: a broken installation; the server was not started
        _without_tap(argv, error)


def _import_msgspec() -> None:
    """Import msgspec without `typing_extensions`, which it prefers to `typing`: that takes 1.5 MB and 20 ms more."""
    name = "typing_extensions"
    is_new = sys.modules.setdefault(name, None) is None  # type: ignore[arg-type]
    import msgspec  # noqa: F401

    if is_new:
        del sys.modules[name]


def _arm(relay: "Relay") -> None:
    _import_msgspec()
    from inspector.features.tap.control import arm_file

    arm_file(relay)


def _record(options: "Options", recording: "RecordingQueue", server: "ServerProcess") -> None:
    """Record in the process that outlives the relay."""
    _import_msgspec()
    from inspector.features.tap.writing import record

    record(options, recording, server)


def _set_up(relay: "Relay") -> None:
    """Set up what is not needed to forward bytes: the registry and the control socket. Hear the recorder."""
    from inspector.features.tap.control import listen

    is_heard = relay.recording.hear()
    listen(relay)
    while is_heard:
        is_heard = relay.recording.hear()


def _judge_end(relay: "Relay") -> str:
    from inspector.features.tap import keeping

    captures, options = keeping.parts(relay.recording.path), relay.options
    if not relay.recording.path:
        return f"--fail-on was not evaluated: {relay.recording.trouble}" if options.fail_on else ""
    why = keeping.verdict(captures, options.fail_on) if options.fail_on else ""
    if options.keep_on and not why:
        keeping.remove_later(options.keep_on, captures)
    return why


def _without_tap(argv: list[str], error: Exception) -> "NoReturn":
    command = argv[argv.index("--") + 1 :] if "--" in argv else []
    os.write(2, f"mcp-tap: not recorded, the server runs without the tap: {error!r:.500}\n".encode())
    if not command:
        os._exit(2)
    try:
        os.execvp(command[0], command)
    except OSError as missing:
        os.write(2, f"mcp-tap: {command[0]}: {missing.strerror}\n".encode())
        os._exit(127 if isinstance(missing, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
