"""The `format` of a text: whether it is what it says it is. A format that is not listed here is fine with anything.

The checks are the ones a person would agree with at once; none of them looks anything up.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date
from ipaddress import IPv6Address
from typing import Final

from inspector.forms.patterns import usable


def wrong_format(name: str, text: str) -> str:
    """What `text` should be and is not ("an email address"); empty if it is, or if nobody knows the format."""
    check, said = _FORMATS.get(name, (_anything, ""))
    return "" if check(text) else said


def _anything(text: str) -> bool:
    return True


def _like(pattern: str) -> Callable[[str], bool]:
    """Patterns here have no repetition within a repetition over the same characters: they are linear."""
    compiled = re.compile(pattern, re.ASCII)

    def check(text: str) -> bool:
        return compiled.fullmatch(text) is not None

    return check


_is_date_shaped: Final = _like(r"\d{4}-\d\d-\d\d")
_is_time: Final = _like(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)")


def _is_date(text: str) -> bool:
    if not _is_date_shaped(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    return len(text) > 11 and text[10] in "Tt " and _is_date(text[:10]) and _is_time(text[11:])


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text


def _is_hostname(text: str) -> bool:
    labels = text.split(".")
    return 0 < len(text) <= 253 and all(_is_label(each) for each in labels)


_is_label: Final = _like(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")


def _is_email(text: str) -> bool:
    name, at, host = text.rpartition("@")
    return bool(name and at and host) and not any(each.isspace() for each in text)


def _is_duration(text: str) -> bool:
    return _is_duration_shaped(text) and text[-1] not in "PT"


_is_duration_shaped: Final = _like(r"P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)")
_URI_CHARACTERS: Final = r"[^\s<>\"{}|\\^`]*"

_FORMATS: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = {
    "date": (_is_date, "a date (2031-12-31)"),
    "time": (_is_time, "a time with its zone (23:59:59Z)"),
    "date-time": (_is_date_time, "a date and time with its zone (2031-12-31T23:59:59Z)"),
    "duration": (_is_duration, "a duration (P3DT12H)"),
    "email": (_is_email, "an email address"),
    "idn-email": (_is_email, "an email address"),
    "hostname": (_is_hostname, "a host name"),
    "ipv4": (_like(r"(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}"), "an IPv4 address"),
    "ipv6": (_is_ipv6, "an IPv6 address"),
    "uri": (_like(r"[A-Za-z][A-Za-z0-9+.-]*:" + _URI_CHARACTERS), "an absolute URI"),
    "url": (_like(r"[A-Za-z][A-Za-z0-9+.-]*:" + _URI_CHARACTERS), "an absolute URL"),
    "iri": (_like(r"[A-Za-z][A-Za-z0-9+.-]*:" + _URI_CHARACTERS), "an absolute IRI"),
    "uri-reference": (_like(_URI_CHARACTERS), "a URI or a part of one"),
    "uuid": (_like(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"), "a UUID"),
    "json-pointer": (_like(r"(/([^~/]|~[01])*)*"), "a JSON pointer"),
    "regex": (usable, "a regular expression"),
}
