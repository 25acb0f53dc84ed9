"""Which host a URL refers to, in any notation. The only check for loopback and private addresses.

Resolvers accept more than dotted numbers: `127.1`, `2130706433`, `0x7f.1` and `0177.0.0.1` are all loopback, and so
are fullwidth digits and an IPv4 address within an IPv6 one. Nothing is resolved here: a name may refer to any
address.
"""

import ipaddress
import re
import unicodedata

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NUMBERS = re.compile(r"(?:0x[0-9a-f]{0,16}|[0-9]{1,20})(?:\.(?:0x[0-9a-f]{0,16}|[0-9]{1,20})){0,3}")
_DOTS = str.maketrans("\u3002\uff0e\uff61", "...")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def plain_host(host: str) -> str:
    """Normalize a host like a resolver: letters and digits as lower-case ASCII, no brackets, no trailing dot."""
    text = unicodedata.normalize("NFKC", host.translate(_DOTS)).translate(_DOTS).lower()
    return text.strip("[]").removesuffix(".")


def address_of(host: str) -> Address | None:
    """Return the address if the host is one in any notation that resolvers accept; None for a name.

    An IPv4 address within an IPv6 one (mapped, 6to4, NAT64) is returned as IPv4.
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
    if address in _NAT64:
        return ipaddress.IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour or address


def _from_numbers(parts: list[str]) -> ipaddress.IPv4Address | None:
    """Parse one to four numbers (decimal, octal, hexadecimal); the last one fills the remaining bytes."""
    try:
        numbers = [
            int(part, 16 if part[:2] == "0x" else 8 if part[0] == "0" and len(part) > 1 else 10) for part in parts
        ]
    except ValueError:
        return None
    *first, last = numbers
    if any(number > 255 for number in first) or last >= 256 ** (5 - len(parts)):
        return None
    value = last
    for place, number in enumerate(first):
        value += number << 8 * (3 - place)
    return ipaddress.IPv4Address(value)


def is_loopback(host: str) -> bool:
    """Return whether a host is the local machine."""
    plain, address = plain_host(host), address_of(host)
    return plain == "localhost" or plain.endswith(".localhost") or (address is not None and address.is_loopback)


def is_private(host: str) -> bool:
    """Return whether a host is certainly private: a private address, the local machine, or a name for it."""
    address = address_of(host)
    if address is None:
        return is_loopback(host)
    return address.is_private or address.is_link_local or address.is_loopback or address.is_unspecified
