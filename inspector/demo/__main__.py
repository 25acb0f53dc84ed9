"""`python -m inspector.demo`: the demo server on stdio, or with --http on a port of this machine."""

import argparse
import asyncio
import sys

from inspector.demo.call import DemoOptions


def parser() -> argparse.ArgumentParser:
    """What may stand on the command line."""
    made = argparse.ArgumentParser(prog="python -m inspector.demo", description="An MCP server to look at.")
    made.add_argument("--http", type=int, metavar="PORT", help="serve over HTTP; 0 takes a free port")
    made.add_argument("--page-size", type=int, default=0, metavar="N", help="items on a page of a list")
    eras = made.add_mutually_exclusive_group()
    eras.add_argument("--legacy-only", action="store_true", help="know only the revisions with a handshake")
    eras.add_argument("--modern-only", action="store_true", help="know only the stateless revision")
    made.add_argument("--startup-delay", type=float, default=0.0, metavar="S", help="seconds before it listens")
    made.add_argument("--crash-on", metavar="TOOL", help="end the process when this tool is called")
    made.add_argument("--with-broken-tool", action="store_true", help="list a tool whose schema is broken")
    made.add_argument(
        "--require-capability", metavar="NAME", help="refuse stateless calls of clients without this capability"
    )
    made.add_argument("--weather", type=float, default=5.0, metavar="S", help="seconds between changes; 0 for none")
    return made


def options_from(arguments: argparse.Namespace) -> DemoOptions:
    """The options that a command line stands for."""
    return DemoOptions(
        legacy=not arguments.modern_only,
        modern=not arguments.legacy_only,
        page_size=max(0, arguments.page_size),
        startup_delay=max(0.0, arguments.startup_delay),
        crash_on=arguments.crash_on,
        with_broken_tool=arguments.with_broken_tool,
        require_capability=arguments.require_capability,
        weather=max(0.0, arguments.weather),
    )


async def serve(port: int | None, options: DemoOptions) -> None:
    """Serves over HTTP on that port, or on stdio if there is none."""
    if port is None:
        from inspector.demo.stdio import serve as serve_stdio

        await serve_stdio(options)
    else:
        from inspector.demo.http import serve as serve_http

        await serve_http(port, options)


def main(argv: list[str] | None = None) -> int:
    """Runs the demo until its client leaves or somebody presses Ctrl+C; returns the exit status."""
    arguments = parser().parse_args(argv)
    try:
        asyncio.run(serve(arguments.http, options_from(arguments)))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
