"""A world for logins: documents by their addresses, a person who consents, and the ladder that is climbed."""

import json
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import msgspec

from inspector.auth.steps import (
    Abandoned,
    AddStep,
    Flow,
    HttpFetch,
    HttpFetched,
    LoginStep,
    Now,
    OpenAddress,
    Prove,
    Random,
    Redirected,
    Sign,
    Step,
    StepVerdict,
)

T = TypeVar("T")
SERVER = "https://api.example/mcp"
ISSUER = "https://as.example"
PROTECTED = "https://api.example/.well-known/oauth-protected-resource/mcp"
ABOUT = "https://as.example/.well-known/oauth-authorization-server"
REGISTER, TOKEN, CONSENT = f"{ISSUER}/register", f"{ISSUER}/token", f"{ISSUER}/authorize"
JSON = (("content-type", "application/json"),)


def protected(**changes: Any) -> dict[str, Any]:
    """The metadata of the server as a resource."""
    return {"resource": SERVER, "authorization_servers": [ISSUER], "scopes_supported": ["read"]} | changes


def about(**changes: Any) -> dict[str, Any]:
    """The metadata of the authorization server; None takes a member out."""
    members = {
        "issuer": ISSUER,
        "authorization_endpoint": CONSENT,
        "token_endpoint": TOKEN,
        "registration_endpoint": REGISTER,
        "code_challenge_methods_supported": ["S256"],
    }
    return {name: value for name, value in (members | changes).items() if value is not None}


def answer(value: Any, status: int = 200, **headers: str) -> HttpFetched:
    more = tuple((name.replace("_", "-"), text) for name, text in headers.items())
    return HttpFetched("", status, (*JSON, *more), json.dumps(value).encode())


def page(status: int = 200) -> HttpFetched:
    return HttpFetched("", status, (("content-type", "text/html"),), b"<!doctype html>")


Answers = HttpFetched | list[HttpFetched] | Callable[[HttpFetch], HttpFetched]


class World:
    """What there is to be found, and what was done in it."""

    def __init__(self, **changes: Answers) -> None:
        """All is well, but for what is given: `prm`, `asm`, `register`, `token`."""
        self.pages: dict[str, Answers] = {
            PROTECTED: answer(protected()),
            ABOUT: answer(about()),
            REGISTER: answer({"client_id": "registered"}, 201),
            TOKEN: answer({"access_token": "t0ken", "token_type": "bearer", "expires_in": 60}),
        }
        for name, given in changes.items():
            self.pages[{"prm": PROTECTED, "asm": ABOUT, "register": REGISTER, "token": TOKEN}[name]] = given
        self.login_steps: list[LoginStep] = []
        self.fetched: list[HttpFetch] = []
        self.visits: list[OpenAddress] = []
        self.signed: list[dict[str, Any]] = []
        self.proofs: list[Prove] = []
        self.consents: Callable[[OpenAddress], Redirected | Abandoned] = agreed
        self.now = 1000.0

    def play(self, flow: Flow[T]) -> T:
        """Run a flow to its end; what it raises is raised."""
        came: Any = None
        try:
            while True:
                came = self._perform(flow.send(came))
        except StopIteration as stop:
            result: T = stop.value
            return result

    @property
    def broken(self) -> LoginStep:
        """The rung that broke."""
        (found,) = [login_step for login_step in self.login_steps if login_step.verdict is StepVerdict.BROKEN]
        return found

    def urls(self) -> list[str]:
        """What was fetched, in order."""
        return [fetch.url for fetch in self.fetched]

    def form(self, which: int = -1) -> dict[str, str]:
        """What was sent to the token endpoint."""
        forms = [fetch.form for fetch in self.fetched if fetch.form is not None]
        return dict(forms[which])

    def asked(self) -> dict[str, str]:
        """What the browser was sent away with, the last time."""
        return dict(parse_qsl(urlsplit(self.visits[-1].url).query))

    def _perform(self, step: Step) -> Any:
        match step:
            case HttpFetch():
                self.fetched.append(step)
                return self._found(step)
            case OpenAddress():
                self.visits.append(step)
                return self.consents(step)
            case Random(count):
                return f"random{count}" + "x" * 40
            case Now():
                return self.now
            case Sign(claims):
                self.signed.append(claims)
                return "signed"
            case Prove():
                self.proofs.append(step)
                return f"proof {len(self.proofs)}"
            case AddStep(login_step):
                return self.login_steps.append(login_step)

    def _found(self, fetch: HttpFetch) -> HttpFetched:
        found = self.pages.get(fetch.url, answer({"error": "not found"}, 404))
        if isinstance(found, list):
            found = found.pop(0)
        elif not isinstance(found, HttpFetched):
            found = found(fetch)
        return msgspec.structs.replace(found, url=fetch.url)


def agreed(visit: OpenAddress) -> Redirected:
    """The person says yes."""
    return Redirected({"code": "c0de", "state": visit.state})
