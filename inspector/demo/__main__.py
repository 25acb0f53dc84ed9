"""`python -m inspector.demo`: the demo server on stdio, or with --http on a port of this machine."""

import argparse
import asyncio
import sys

from inspector.demo.call import DemoOptions


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m inspector.demo", description="Run the demo MCP server.")
    made.add_argument("--http", type=int, metavar="PORT", help="serve over HTTP; 0 selects a free port")
    made.add_argument("--page-size", type=int, default=0, metavar="N", help="items per page of a list; 0: no paging")
    eras = made.add_mutually_exclusive_group()
    eras.add_argument("--legacy-only", action="store_true", help="support only protocol versions with initialize")
    eras.add_argument("--modern-only", action="store_true", help="support only the stateless protocol version")
    made.add_argument("--startup-delay", type=float, default=0.0, metavar="S", help="seconds to wait before listening")
    made.add_argument("--crash-on", metavar="TOOL", help="exit when this tool is called")
    made.add_argument("--with-broken-tool", action="store_true", help="list a tool with an invalid schema")
    made.add_argument(
        "--require-capability", metavar="NAME", help="reject stateless calls of clients without this capability"
    )
    made.add_argument(
        "--weather", type=float, default=5.0, metavar="S", help="seconds between changes of the barometer; 0: never"
    )
    return made


def options_from(arguments: argparse.Namespace) -> DemoOptions:
    """The options from a parsed command line."""
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
    """Serve over HTTP on this port, or on stdio if it is None."""
    if port is None:
        from inspector.demo.stdio import serve as serve_stdio

        await serve_stdio(options)
    else:
        from inspector.demo.http import serve as serve_http

        await serve_http(port, options)


def main(argv: list[str] | None = None) -> int:
    """Run the demo until its client disconnects or until Ctrl+C; return the exit status."""
    arguments = parser().parse_args(argv)
    try:
        asyncio.run(serve(arguments.http, options_from(arguments)))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
