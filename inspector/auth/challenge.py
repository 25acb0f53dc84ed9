"""Challenges: what a 401 or a 403 says in `WWW-Authenticate` (RFC 9110, section 11; RFC 6750, section 3)."""

import re
from collections.abc import Iterable

import msgspec

_TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_SCHEME = re.compile(rf"\s*({_TOKEN})(?:\s+|$)")
_PARAM = re.compile(rf'\s*({_TOKEN})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|({_TOKEN}))\s*(?:,|$)')
_TOKEN68 = re.compile(r"\s*[A-Za-z0-9\-._~+/]+=*\s*(?:,|$)")
_LONGEST = 16_384


class Challenge(msgspec.Struct, frozen=True):
    """One challenge."""

    scheme: str
    """In lower case: "bearer", "dpop"."""
    params: dict[str, str]
    """By names in lower case; of two with one name the first."""

    @property
    def scopes(self) -> tuple[str, ...] | None:
        """The scopes it asks for; None if it names none."""
        scope = self.params.get("scope")
        return None if scope is None else tuple(scope.split())

    @property
    def metadata(self) -> str:
        """Where the metadata of the resource is; "" if it does not say."""
        return self.params.get("resource_metadata", "")

    @property
    def error(self) -> str:
        """What was wrong with the token that was sent; "" if it does not say."""
        return self.params.get("error", "")


def parse_challenges(values: Iterable[str]) -> tuple[Challenge, ...]:
    """The challenges of all `WWW-Authenticate` headers, in order. What can't be read is left out."""
    found: list[Challenge] = []
    for value in values:
        found += _parse(value[:_LONGEST])
    return tuple(found)


def bearer(challenges: Iterable[Challenge]) -> Challenge | None:
    """The challenge for a token, in either scheme; None without one."""
    return next((each for each in challenges if each.scheme in ("bearer", "dpop")), None)


def _parse(value: str) -> list[Challenge]:
    found: list[Challenge] = []
    at = 0
    while at < len(value):
        param = _PARAM.match(value, at)
        if param and found:
            name, quoted, plain = param.groups()
            text = plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
            found[-1].params.setdefault(name.lower(), text)
            at = param.end()
            continue
        scheme = _SCHEME.match(value, at)
        if scheme is None:
            rest = value.find(",", at)
            at = len(value) if rest < 0 else rest + 1
            continue
        found.append(Challenge(scheme[1].lower(), {}))
        at = scheme.end()
        if not _PARAM.match(value, at) and (blob := _TOKEN68.match(value, at)):
            at = blob.end()
    return found
