"""Which host a URL refers to, in any notation. The only check for loopback and private addresses.

Resolvers accept more than dotted numbers: `127.1`, `2130706433`, `0x7f.1` and `0177.0.0.1` are all loopback, and so
are fullwidth digits and an IPv4 address within an IPv6 one. Nothing is resolved here: a name may refer to any
address.
"""

import ipaddress
import re
import unicodedata
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}")
_DOTS = str.maketrans("\u3002\uff0e\uff61", "...")
_HOLDING_IPV4 = tuple(map(ipaddress.IPv6Network, ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48")))
"""IPv6 networks whose last four bytes are an IPv4 address: compatible, translated, NAT64 (RFC 4291, 6052, 8215)."""
_LONGEST_NUMBER = 16
"""Digits of a part without leading zeros; a longer one exceeds any address."""

_LAST_SPECIAL = ipaddress.IPv6Address("::1")
"""`::` and `::1` hold no IPv4 address."""

_INTERNAL = re.compile(r"(?:^|\.)(?:local|internal|intranet|lan|home|corp|svc|docker|cluster\.local)$")


def host_of(url: str) -> str:
    """Return the host of a URL, in lower case; "" if it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def plain_host(host: str) -> str:
    """Normalize a host like a resolver: letters and digits as lower-case ASCII, no brackets, no trailing dot."""
    text = unicodedata.normalize("NFKC", host.translate(_DOTS)).translate(_DOTS).lower()
    return text.strip("[]").removesuffix(".")


def address_of(host: str) -> Address | None:
    """Return the address if the host is one in any notation that resolvers accept; None for a name.

    An IPv4 address within an IPv6 one (mapped, compatible, 6to4, Teredo, NAT64) is returned as IPv4.
    """
    plain = plain_host(host)
    if _NUMBERS.fullmatch(plain):
        return _from_numbers(plain.split("."))
    try:
        address = ipaddress.ip_address(plain.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address > _LAST_SPECIAL and any(address in network for network in _HOLDING_IPV4):
        return ipaddress.IPv4Address(address.packed[-4:])
    teredo = address.teredo[1] if address.teredo is not None else None
    return address.ipv4_mapped or address.sixtofour or teredo or address


def _from_numbers(parts: list[str]) -> ipaddress.IPv4Address | None:
    """Parse one to four numbers (decimal, octal, hexadecimal); the last one fills the remaining bytes."""
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    *first, last = numbers
    if any(number > 255 for number in first) or last >= 256 ** (5 - len(parts)):
        return None
    value = last
    for place, number in enumerate(first):
        value += number << 8 * (3 - place)
    return ipaddress.IPv4Address(value)


def _number(part: str) -> int:
    """Parse a number with any count of leading zeros. Raises: ValueError, also for one that exceeds any address."""
    base = 16 if part[:2] == "0x" else 8 if part[0] == "0" else 10
    digits = part.removeprefix("0x").lstrip("0")
    if len(digits) > _LONGEST_NUMBER:
        raise ValueError("too large")
    return int(digits or "0", base)


def is_loopback(host: str) -> bool:
    """Return whether a host is the local machine."""
    plain, address = plain_host(host), address_of(host)
    return plain == "localhost" or plain.endswith(".localhost") or (address is not None and address.is_loopback)


def is_private(host: str) -> bool:
    """Return whether a host is certainly private: an address that is not global, or a name of the local machine."""
    address = address_of(host)
    if address is None:
        return is_loopback(host)
    is_site_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    return not address.is_global or address.is_multicast or is_site_local


def is_link_local(host: str) -> bool:
    """Return whether a host is an address of the local link, where cloud machines have their metadata service."""
    address = address_of(host)
    return address is not None and address.is_link_local


def is_inside(named: str, reached: str) -> bool:
    """Return whether a URL that a server names for itself looks like its address behind the proxy that was reached.

    That is another scheme or port at the same host, or a host that only machines near the server can reach.
    """
    try:
        one, other = urlsplit(named), urlsplit(reached)
        host, there, ports = one.hostname or "", other.hostname or "", (one.port, other.port)
    except ValueError:
        return False
    if not host or not there:
        return False
    if plain_host(host) == plain_host(there):
        is_upgrade = (one.scheme, other.scheme) == ("https", "http")
        return not is_upgrade and (one.scheme != other.scheme or ports[0] != ports[1])
    if is_loopback(host) and is_loopback(there) and ports[0] == ports[1]:
        return False
    is_name = address_of(host) is None
    return is_private(host) or (is_name and ("." not in host.strip(".") or bool(_INTERNAL.search(plain_host(host)))))
