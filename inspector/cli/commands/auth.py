"""`mcp-inspect auth`: log in to a server, and show, refresh or delete stored logins.

Tokens are never printed: at most their last characters and their claims.
"""

import asyncio
import shlex
import shutil
import time
from collections.abc import Callable
from typing import Any

import click
import msgspec

from inspector.auth.addresses import open_browser, out_of_reach, tunnel
from inspector.auth.driver import NoAuthorizer, OAuthAuthorizer, Surveyor
from inspector.auth.guide import Guide, WaitingForLogin
from inspector.auth.steps import LoginStep, StepVerdict, StoredLogin
from inspector.auth.storage import TokenStore
from inspector.capture.journal import Journal
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import DocumentedGroup, documented
from inspector.cli.launch import close_capture, named_journal, settings_for, store_for
from inspector.cli.login_options import read_login
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.process import leaving_no_child
from inspector.cli.targets import TargetOptions, choose
from inspector.cli.typed_lines import TypedLines
from inspector.config.targets import HttpTarget
from inspector.errors import AuthorizationNeeded, InspectError, UsageError
from inspector.present.failure_report import diagnosis_of
from inspector.present.logins import (
    as_data,
    expired,
    link_section,
    login_data,
    login_line,
    login_sections,
    qr_lines,
    read_link,
    step_lines,
    steps_end,
    too_small,
)
from inspector.present.spans import Line, fact_lines, section_lines
from inspector.session.open import open_session
from inspector.session.session import Session

_EXAMPLES = (
    "mcp-inspect auth login https://example.com/mcp --scope 'read write'",
    "mcp-inspect auth status",
    "mcp-inspect auth explain https://example.com/mcp",
)
_GIVE_UP = ("q", "quit")
_LET_IN = "the server requires no authorization"
_NO_CHALLENGE = ("missing-www-authenticate", "non-bearer-challenge")
"""Diagnoses of a 401 without a challenge that begins a login."""


@click.group(
    "auth", cls=DocumentedGroup, examples=_EXAMPLES, no_args_is_help=False, subcommand_metavar="COMMAND [OPTIONS] [URL]"
)
def command() -> None:
    """Log in to a server with OAuth, and manage stored logins.

    A stored login is used by all commands. Tokens are never printed.
    """


@documented(
    "login",
    ("mcp-inspect auth login https://example.com/mcp",),
    "the login: `url`, scopes, expiry and `steps`, never a token",
    group=command,
)
@click.argument("url")
@headless_settings
@click.pass_obj
def login_command(env: CliEnv, /, url: str, **options: Any) -> ExitStatus:
    """Log in to a server in the browser, and store the tokens."""
    return login(_output(env, options), choose(env, url, options))


@documented(
    "status",
    ("mcp-inspect auth status", "mcp-inspect auth status --json URL"),
    "`logins`; with a URL that login",
    group=command,
)
@click.argument("url", required=False)
@headless_settings
@click.pass_obj
def status_command(env: CliEnv, /, url: str | None, **options: Any) -> ExitStatus:
    """Show stored logins: scopes, expiry and storage; without URL, of all servers."""
    return status(_output(env, options), *_chosen(env, url, options))


@documented("refresh", ("mcp-inspect auth refresh https://example.com/mcp",), "the login, never a token", group=command)
@click.argument("url")
@headless_settings
@click.pass_obj
def refresh_command(env: CliEnv, /, url: str, **options: Any) -> ExitStatus:
    """Get a new access token with the stored refresh token."""
    return refresh(_output(env, options), choose(env, url, options))


@documented(
    "logout",
    ("mcp-inspect auth logout https://example.com/mcp", "mcp-inspect auth logout --all"),
    "`deleted`: URLs",
    group=command,
)
@click.argument("url", required=False)
@click.option("--all", "everything", is_flag=True, help="Also delete the client registration; without URL, everything.")
@headless_settings
@click.pass_obj
def logout_command(env: CliEnv, /, url: str | None, everything: bool, **options: Any) -> ExitStatus:
    """Delete the stored tokens of a server."""
    return logout(_output(env, options), *_chosen(env, url, options), everything=everything)


@documented(
    "explain",
    ("mcp-inspect auth explain https://example.com/mcp",),
    "`steps` with request, status, verdict, clause and fix; `broken`; `outcome`, a sentence",
    group=command,
)
@click.argument("url")
@headless_settings
@click.pass_obj
def explain_command(env: CliEnv, /, url: str, **options: Any) -> ExitStatus:
    """Check each step of the OAuth login without logging in; exit 1 if a step fails."""
    return explain(_output(env, options), choose(env, url, options))


def _output(env: CliEnv, options: dict[str, Any]) -> Output:
    return Output(env, as_json=options["as_json"], quiet=options["quiet"])


def _chosen(env: CliEnv, url: str | None, options: dict[str, Any]) -> tuple[TargetOptions | None, TokenStore]:
    chosen = choose(env, url, options) if url is not None else None
    return chosen, store_for(chosen.login if chosen else read_login(options, env.environ), env.environ)


class Consent:
    """The terminal interface of the login guide."""

    def __init__(self, output: Output, *, port: int = 0, callback: str = "", patience_s: float = 600.0) -> None:
        self.guide = Guide(port=port, callback=callback, patience_s=patience_s, show=self._show)
        self._output = output
        self._typed: TypedLines | None = None
        self._confirmed: WaitingForLogin | None = None

    def stop(self) -> None:
        """Stop reading."""
        if self._typed is not None:
            self._typed.stop()
            self._typed = None

    def _show(self, waiting: WaitingForLogin) -> None:
        self._output.narrate_lines(section_lines(link_section(read_link(waiting.url), waiting.code_host)))
        self._output.narrate_lines(self._ways(waiting))
        self.stop()
        self._typed = TypedLines(self._output.env.stdin, self._take)

    def _ways(self, waiting: WaitingForLogin) -> list[Line]:
        """Return the available actions, one line each."""
        env = self._output.env.environ
        why_not = out_of_reach(env)
        found: list[Line] = []
        if not why_not:
            found.append(_key_line("Enter", "opens it in the browser"))
        else:
            found.append(_key_line("here", f"no browser: {why_not}; open the address where there is one"))
        if waiting.port and why_not:
            found.append(
                _key_line("tunnel", f"on that machine, to forward the redirect: {tunnel(waiting.port, env=env)}")
            )
        found.append(
            _key_line("paste", "the address that the browser ends at, or the code in it, if it does not get through")
        )
        found.append(_key_line("qr", "shows the address for a camera; q gives up"))
        return found

    def _take(self, line: str) -> None:
        """Process an input line."""
        waiting, word = self.guide.waiting, line.strip()
        if waiting is None:
            return
        if not word:
            self._open(waiting)
        elif word.lower() in _GIVE_UP:
            self.guide.give_up()
        elif word.lower() == "yes" and waiting.code_host:
            self._confirmed = waiting
            self._open(waiting)
        elif word.lower() == "qr":
            self._draw(waiting)
        elif wrong := self.guide.take(word):
            self._output.warn(wrong)

    def _open(self, waiting: WaitingForLogin) -> None:
        if waiting.code_host and self._confirmed is not waiting:
            self._output.warn(f"another host gets the code: {waiting.code_host}; type yes to open the page")
            return
        link = read_link(waiting.url)
        why_not = link.why_not or out_of_reach(self._output.env.environ)
        if why_not:
            self._output.warn(f"not opened: {why_not}")
        elif open_browser(link.openable):
            self._output.narrate(f"opened in the browser: {link.host}")
        else:
            self._output.warn("no browser was found: copy the address")

    def _draw(self, waiting: WaitingForLogin) -> None:
        lines = qr_lines(waiting.url)
        if why_not := too_small(lines, shutil.get_terminal_size().columns, len(lines)):
            self._output.warn(why_not)
            return
        for line in lines:  # black on white, whatever the terminal's colors are
            self._output.env.stderr.write(f"\x1b[30;107m{line}\x1b[0m\n")
        self._output.env.stderr.flush()


def _key_line(key: str, what: str) -> Line:
    return ((f"  {key:<7} ", "accent"), (what, "text"))


def explain(output: Output, chosen: TargetOptions) -> ExitStatus:
    """Check each login step without logging in. Return FINDINGS if a step fails."""
    target = _target(chosen)
    surveyor = Surveyor(target.url, chosen.login.login_options, store_for(chosen.login, output.env.environ))
    bare = tuple(each for each in target.headers if each[0].lower() != "authorization")
    chosen = msgspec.structs.replace(chosen, target=msgspec.structs.replace(target, headers=bare))

    async def explore(session: Session) -> None:
        from inspector.transports.http.transport import HttpTransport  # brings the HTTP client; help does without it

        assert isinstance(session.transport, HttpTransport), "a URL is reached over HTTP"
        await surveyor.look(session.transport.ask_aside)

    def quote_refusal(journal: Journal) -> None:
        first, known = next(iter(surveyor.login_steps), None), diagnosis_of(journal)
        if first and first.verdict is StepVerdict.ODD and known is not None and known.reason.id in _NO_CHALLENGE:
            why = f"{known.reason.sentence}; trying the well-known URLs"
            surveyor.login_steps[0] = msgspec.structs.replace(first, found=why, fix=known.reason.fix)

    status = ExitStatus.OK
    try:
        status = _connect(output, chosen, lambda url: surveyor, explore, quote_refusal)
    except InspectError:
        if not surveyor.login_steps:
            raise
    broken = next((login_step for login_step in surveyor.login_steps if login_step.verdict is StepVerdict.BROKEN), None)
    if output.as_json:
        steps = as_data(surveyor.login_steps)
        found = {"url": target.url, "refused": surveyor.was_refused, "steps": steps}
        outcome = steps_end(surveyor.login_steps)
        output.data(found | {"broken": broken.what if broken else None, "outcome": outcome})
    else:
        output.lines([*step_lines(surveyor.login_steps), (), ((steps_end(surveyor.login_steps), "strong"),)])
    return ExitStatus.FINDINGS if broken else status


def login(output: Output, chosen: TargetOptions) -> ExitStatus:
    """Log in, ignoring stored tokens but reusing a registered client.

    With --scope it is a step-up: the scopes of the stored login are requested as well.
    """
    target, choice = _target(chosen), chosen.login
    store = store_for(choice, output.env.environ)
    consent = Consent(output, port=choice.port, callback=choice.callback)
    keeper = OAuthAuthorizer(
        target.url, choice.login_options, store, consent.guide, tell=_step_printer(output), renew=True
    )
    before = keeper.known.token if choice.login_options.scopes is not None else None
    if before is not None:
        before = msgspec.structs.replace(before, refresh_token="")  # the user logs in: no automatic refresh
        if earlier := dict.fromkeys((*before.asked, *(before.scopes or ()))):
            forget = f"mcp-inspect auth logout {shlex.quote(target.url)}"
            output.narrate(
                f"also requesting the scopes of the previous login: {' '.join(earlier)}; to drop them: {forget}"
            )
    keeper.known = StoredLogin(before, keeper.known.clients)
    try:
        status = _connect(output, chosen, lambda url: keeper)
    finally:
        consent.stop()
    if keeper.known.token == before:
        output.narrate(_LET_IN)
    else:
        output.narrate(f"logged in; tokens stored in {store.place}")
    return _show(output, target.url, keeper.known, keeper.login_steps) or status


def refresh(output: Output, chosen: TargetOptions) -> ExitStatus:
    """Refresh the stored token without the user."""
    target, choice = _target(chosen), chosen.login
    store = store_for(choice, output.env.environ)
    before = store.get(target.url).token
    if before is None or not before.refresh_token:
        what = "no stored token" if before is None else "no refresh token"
        raise AuthorizationNeeded(f"{target.url}: {what}", hint=f"mcp-inspect auth login {shlex.quote(target.url)}")
    login_options = msgspec.structs.replace(choice.login_options, has_person=False)
    keeper = OAuthAuthorizer(
        target.url, login_options, store, NoAuthorizer(target.url), tell=_step_printer(output), renew=True
    )
    status = _connect(output, chosen, lambda url: keeper)
    if keeper.known.token == before:
        output.narrate(_LET_IN)
    return _show(output, target.url, keeper.known, keeper.login_steps) or status


def status(output: Output, chosen: TargetOptions | None, store: TokenStore) -> ExitStatus:
    """Show the stored login of a server, or all. Return AUTHORIZATION if the named one has no valid token."""
    now = time.time()
    if chosen is not None:
        url = _target(chosen).url
        known = store.get(url)
        _show(output, url, known, ())
        token = known.token
        usable = token is not None and (bool(token.refresh_token) or not expired(token, now))
        return ExitStatus.OK if usable else ExitStatus.AUTHORIZATION
    servers = [(url, store.get(url)) for url in store.servers()]
    if output.as_json:
        output.data({"logins": [login_data(url, known, now) for url, known in servers]})
    elif servers:
        output.lines(fact_lines([login_line(url, known, now) for url, known in servers]))
    else:
        output.narrate("no stored logins")
    return ExitStatus.OK


def logout(output: Output, chosen: TargetOptions | None, store: TokenStore, *, everything: bool) -> ExitStatus:
    """Delete the token of a server.

    `everything`: delete its registration too; without a server, delete those of all.
    """
    if chosen is None and not everything:
        raise UsageError("no server named", hint="Give its URL, or --all for all stored logins.")
    forgotten: list[str] = []
    for url in [_target(chosen).url] if chosen else store.servers():
        known = store.get(url)
        if known.token is None and not (everything and known.clients):
            continue
        forgotten.append(url)
        if everything or not known.clients:
            store.forget(url)
        else:
            store.put(url, StoredLogin(None, known.clients))
    if output.as_json:
        output.data({"deleted": forgotten})
    else:
        output.text("\n".join(f"deleted: {url}" for url in forgotten) or "nothing to delete")
        if forgotten:
            output.narrate("the token was not revoked at the authorization server: it stays valid until it expires")
    return ExitStatus.OK


def _target(chosen: TargetOptions) -> HttpTarget:
    if not isinstance(chosen.target, HttpTarget):
        raise UsageError("stdio servers have no OAuth login", hint="Give the URL of an HTTP server.")
    return chosen.target


def _connect(
    output: Output,
    chosen: TargetOptions,
    authorizer: Callable[[str], OAuthAuthorizer],
    then: Callable[[Session], Any] | None = None,
    last: Callable[[Journal], None] = lambda journal: None,
) -> ExitStatus:
    """Connect like every other command, with this authorizer; return OK, or CAPTURE. `last` gets the whole journal."""
    journal = named_journal(chosen)
    settings = msgspec.structs.replace(settings_for(chosen, output.env), authorizer=authorizer)

    async def work() -> None:
        async with open_session(chosen.target, journal, settings) as session:
            await session.connect()
            if then is not None:
                await then(session)

    status = ExitStatus.UNREACHABLE
    try:
        with leaving_no_child():
            asyncio.run(work())
        status = ExitStatus.OK
    finally:
        last(journal)
        for notice in journal.notices:
            output.warn(notice)
        status = close_capture(output, journal, status)
    return status


def _step_printer(output: Output) -> Callable[[LoginStep], None]:
    """Return a callback that prints each completed login step."""

    def tell(login_step: LoginStep) -> None:
        if not output.quiet:
            output.narrate_lines(step_lines([login_step], brief=True))

    return tell


def _show(
    output: Output, url: str, known: StoredLogin, login_steps: "list[LoginStep] | tuple[LoginStep, ...]"
) -> ExitStatus:
    now = time.time()
    if output.as_json:
        output.data(login_data(url, known, now) | ({"steps": as_data(login_steps)} if login_steps else {}))
    else:
        output.lines([line for section in login_sections(url, known, now) for line in section_lines(section)])
    return ExitStatus.OK
