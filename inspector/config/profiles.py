"""Profiles of MCP clients: how a client opens a conversation, as dated data with sources.

A profile is a YAML file, made from a capture or by hand; those of known clients are the member `profile` of the files
in `clients/`. What no source states is listed as unknown; there the inspector keeps its default behaviour.
"""

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from inspector.atomic_write import read_regular
from inspector.config.environment import MINIMAL
from inspector.config.paths import expanded
from inspector.documents import UnreadableDocument, prepared_type, read_yaml
from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.capabilities import FORM, ROOTS, SAMPLING, SAMPLING_TOOLS, TASKS, URL
from inspector.protocol.listed_items import KIND_OF_METHOD
from inspector.protocol.revisions._shape import LogLevel, SubscriptionMethod
from inspector.text import visible

_DATA = Path(__file__).parent / "clients"
_ALIASES = {"claude": "claude-code", "vs-code": "vscode", "gemini": "gemini-cli", "codex-cli": "codex"}
_MOST_BYTES = 1 << 20

_OFFERS: dict[str, tuple[str, ...]] = {
    ROOTS: ("roots",),
    SAMPLING: ("sampling",),
    SAMPLING_TOOLS: ("sampling", "tools"),
    FORM: ("elicitation", "form"),
    URL: ("elicitation", "url"),
    TASKS: ("tasks",),
}

_SEE = "See docs/configuration.md, or make one with mcp-inspect profile CAPTURE -o FILE."


class ProfileSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Source of a statement in a profile."""

    url: str
    date: datetime.date
    """Date of the source; for code and living documents the day on which it was read."""
    version: str = ""
    """Version of the client, if the source names one."""
    confidence: Literal["certain", "likely", "guess"] = "likely"
    """As in the compatibility facts."""


class OpeningRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A request that the client sends on its own after the opening."""

    method: str
    """The method of a list, or `logging/setLevel`; `modern_opening` has two more."""
    pages: Literal["all", "one"] = "all"
    """For a list: whether it is read beyond its first page."""
    always: bool = False
    """Whether it is also sent to a server that does not declare the capability."""
    level: str = "info"
    """For `logging/setLevel`."""


class ProfileTimeouts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Timeouts in seconds; None: unknown."""

    start: float | None = None
    """From the start of the server to the end of the opening."""
    request: float | None = None
    """For any request."""


@prepared_type
class ClientProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    client: dict[str, Any]
    """`clientInfo`, as sent."""
    capabilities: dict[str, Any]
    """As sent."""
    protocol_version: str = ""
    """Requested version; "" for the newest. In the era “auto” it is offered after `server/discover` has failed."""
    era: Literal["legacy", "modern", "auto"] = "auto"
    environment: Literal["all"] | list[str] | None = None
    """Variables that a server inherits; None: unknown."""
    withheld: list[str] = []
    """Parts of names: variables whose names contain one of them are not inherited."""
    variables: dict[str, str] = {}
    """Variables set for each server; `{cwd}` is the server's directory."""
    undeclared: list[str] = []
    """Kinds of server requests that it answers without a declaration, by the names of `protocol.capabilities`."""
    user_agent: str = ""
    """Over HTTP; "" for the usual one."""
    sdk: Literal["", "typescript", "typescript-1", "rust"] = ""
    """The official SDK whose form messages have; see `ClientIdentity.sdk`."""
    has_params: bool = False
    """Whether requests without params have empty ones."""
    opening: list[OpeningRequest] | None = None
    """Requests in this order; None: unknown."""
    modern_opening: list[OpeningRequest] | None = None
    """The same in a stateless session; None: those of `opening`.

    `subscriptions/listen` is sent to a server whose lists may change, and `server/discover` once that is acknowledged.
    """
    timeouts: ProfileTimeouts = ProfileTimeouts()
    sources: dict[str, ProfileSource] = {}
    unknown: list[str] = []
    """Behaviour that no source states."""
    differences: list[str] = []
    """Behaviour in which the inspector still differs."""

    @property
    def dated(self) -> str:
        """Name with the date of the newest source."""
        newest = max((each.date for each in self.sources.values()), default=None)
        return f"{self.name} ({newest})" if newest else self.name

    @property
    def offers(self) -> frozenset[str]:
        """Kinds of server requests it can respond to, by the names of `protocol.capabilities`."""
        found = {*self.undeclared}
        for name, path in _OFFERS.items():
            if peek.has(self.capabilities, *path):
                found.add(name)
        elicitation = peek.mapping(self.capabilities, "elicitation")
        if peek.has(self.capabilities, "elicitation") and not {"form", "url"} & set(elicitation):
            found.add(FORM)  # an empty object means the form mode
        return frozenset(found)

    def inherited(self, base: Mapping[str, str]) -> tuple[str, ...]:
        """Return the names of the variables in `base` that a server inherits."""
        names = [*base] if self.environment == "all" else self.environment
        if names is None:
            names = [*MINIMAL]
        return tuple(each for each in names if not any(part in each.upper() for part in self.withheld))

    def set_for(self, cwd: str) -> dict[str, str]:
        """Return the variables that the client sets for a server in this directory."""
        return {name: value.replace("{cwd}", cwd) for name, value in self.variables.items()}


def known_profiles() -> tuple[str, ...]:
    """Return the names of the known clients."""
    return tuple(sorted(path.stem for path in _DATA.glob("*.yaml") if b"\nprofile:" in path.read_bytes()))


def client_profile(word: str, *, from_file: bool = True) -> ClientProfile:
    """Return the profile of a known client or from a file.

    Without `from_file` no file of the user is read. Raises: UsageError for an unknown client, and for a file that is
    not a profile.
    """
    name = _ALIASES.get(word.lower(), word.lower())
    if name in known_profiles():
        file = msgspec.yaml.decode((_DATA / f"{name}.yaml").read_bytes())
        return msgspec.convert({"name": file["name"], **file["profile"]}, ClientProfile)
    if not from_file:
        raise UsageError(f"no client {word!r} is known", hint=f"There are {', '.join(known_profiles())}.")
    path = expanded(word)
    if path.is_file():
        return read_profile(path)
    raise UsageError(
        f"{word!r} is neither a known client nor a file",
        hint=f"Known clients: {', '.join(known_profiles())}. mcp-inspect profile makes a file from a capture.",
    )


def read_profile(path: Path) -> ClientProfile:
    """Read a profile from a file. Raises: UsageError, with the member and the reason."""
    shown = visible(str(path), limit=300)
    try:
        raw = read_regular(path, _MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            raise UsageError(f"{shown}: larger than 1 MiB, not a profile")
        profile = msgspec.convert(read_yaml(raw.decode("utf-8-sig")), ClientProfile)
    except UnreadableDocument as error:
        raise UsageError(f"{shown}: {error.placed}", hint="A profile is a YAML file.") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown}: not UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror}") from None
    except (msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"{shown}: {visible(str(error), limit=200)}", hint=_SEE) from None
    for member, requests, others in (
        ("opening", profile.opening, {LogLevel.REQUEST}),
        ("modern_opening", profile.modern_opening, {SubscriptionMethod.LISTEN, "server/discover"}),
    ):
        for each in requests or ():
            if each.method not in others and each.method not in KIND_OF_METHOD:
                raise UsageError(f"{shown}: {member} has {each.method!r}, which is not a list", hint=_SEE)
    return profile


def profile_text(profile: ClientProfile, comments: Sequence[str] = ()) -> str:
    """Return the YAML text of a profile."""
    import yaml  # few runs write one

    members = msgspec.to_builtins(profile, builtin_types=(datetime.date,))
    body = yaml.safe_dump(members, sort_keys=False, allow_unicode=True, width=100)
    return "".join(f"# {each}\n" for each in comments) + str(body)
