"""Reads the sockets of processes from the Linux kernel: on which ports they listen, and for whom they wait.

The kernel reports of a connection when it last sent and received data (sock_diag(7), `tcp_info`). One that has received
nothing since it sent is waiting. One that has is idle; with TLS it may wait, as tickets follow the first request.
"""

import os
import socket
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import NamedTuple

from inspector.protocol.facts import Awaited
from inspector.transports.children import Process

_SOCK_DIAG, _BY_FAMILY, _DUMP = 4, 20, 0x301
"""The netlink family, its request, and the flags of a request for a list."""
_ERROR, _DONE = 2, 3
"""Types of netlink messages that end a list."""
_INFO = 2
"""The attribute that holds `tcp_info`, and the bit of the request for it."""
_HEADER, _REQUEST, _MESSAGE = struct.Struct("=IHHII"), struct.Struct("=BBBBI48s"), struct.Struct("!BBBBHH16s16s")
_TAIL, _ATTRIBUTE = struct.Struct("=5I"), struct.Struct("=HH")
_TIMES = struct.Struct("=44xI4xI72xQ")
"""In `tcp_info`: milliseconds since data was last sent and received, and the bytes received (since Linux 4.1)."""
_ESTABLISHED, _SYN_SENT, _LISTEN = 1, 2, 10
_DNS, _TLS = 53, (443, 8443)
_LONGEST_NAME = 15
"""Characters to which Linux cuts the name of a process."""
_AT_MOST = 8
"""Maximum number of connections that are described."""


class _Socket(NamedTuple):
    is_tcp: bool
    state: int
    local: tuple[str, int]
    remote: tuple[str, int]
    inode: str
    sent_ms: int = 0
    received_ms: int = 0
    received: int = 0


def listening_ports(running: Iterable[Process]) -> tuple[int, ...]:
    """Return the TCP ports on which processes listen, in order; empty if the system does not say."""
    return tuple(sorted({each.local[1] for each, _ in _sockets_of(running) if each.is_tcp and each.state == _LISTEN}))


def listener_on(port: int) -> int:
    """Return the id of the process that listens on a TCP port of this machine, the eldest of several; 0 if unknown."""
    sockets: set[str] = set()
    with suppress(OSError, struct.error):
        sockets = {each.inode for each in _all() if each.is_tcp and each.state == _LISTEN and each.local[1] == port}
    pids = sorted(int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()) if sockets else ()
    return next((pid for pid in pids if not sockets.isdisjoint(_inodes(pid))), 0)


def awaited_by(running: Iterable[Process]) -> tuple[Awaited, ...]:
    """Return the connections of processes to others, those that wait first; empty if the system does not say."""
    sockets = list(_sockets_of(running))
    own = {each.local for each, _ in sockets}
    served = {each.local[1] for each, _ in sockets if each.state == _LISTEN}
    found = (
        _awaited(each, owner)
        for each, owner in sockets
        if each.remote[1] and (each.is_tcp or each.remote[1] == _DNS) and each.remote not in own
        if each.local[1] not in served and (not _is_answered(each) or each.remote[1] in _TLS)
    )
    return tuple(sorted(found, key=lambda each: (each.answered, each.silent_s))[:_AT_MOST])


def _awaited(found: _Socket, owner: Process) -> Awaited:
    accepted, answered = found.state == _ESTABLISHED, _is_answered(found)
    silent_s = min(found.sent_ms, found.received_ms) / 1000 if accepted else 0
    return Awaited(owner.pid, _program(owner), _name(*found.remote), accepted, answered, silent_s)


def _is_answered(found: _Socket) -> bool:
    # both times are equal if a response took less than a tick, or a request was sent as soon as it was connected
    return found.received_ms < found.sent_ms or (found.received_ms == found.sent_ms and found.received > 0)


def _program(process: Process) -> str:
    is_cut = len(process.name) >= _LONGEST_NAME and process.argv
    return process.argv[0][:60] if is_cut else process.name


def _name(host: str, port: int) -> str:
    service = ""
    with suppress(OSError):
        service = f" ({socket.getservbyport(port)})"
    return f"[{host}]:{port}{service}" if ":" in host else f"{host}:{port}{service}"


def _sockets_of(running: Iterable[Process]) -> Iterator[tuple[_Socket, Process]]:
    owners = {inode: each for each in running for inode in _inodes(each.pid)}
    if owners:
        with suppress(OSError, struct.error):
            for each in _all():
                if each.inode in owners:
                    yield each, owners[each.inode]


def _inodes(pid: int) -> Iterator[str]:
    """Yield the inodes of the sockets that a process has open."""
    with suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                if (target := os.readlink(descriptor)).startswith("socket:["):
                    yield target[8:-1]


def _all() -> Iterator[_Socket]:
    """Yield the sockets of all processes. Raises: OSError if the system does not tell."""
    if not hasattr(socket, "AF_NETLINK"):
        return
    states = 1 << _ESTABLISHED | 1 << _SYN_SENT | 1 << _LISTEN
    for family in (socket.AF_INET, socket.AF_INET6):
        for protocol in (socket.IPPROTO_TCP, socket.IPPROTO_UDP):
            with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
                wanted = _REQUEST.pack(family, protocol, _INFO, 0, states, b"")
                kernel.sendto(_HEADER.pack(_HEADER.size + len(wanted), _BY_FAMILY, _DUMP, 1, 0) + wanted, (0, 0))
                for message in _messages(kernel):
                    yield _read(message, family, is_tcp=protocol == socket.IPPROTO_TCP)


def _messages(kernel: socket.socket) -> Iterator[bytes]:
    while True:
        block = kernel.recv(1 << 17)
        while block:
            length, kind = _HEADER.unpack_from(block)[:2]
            if kind in (_ERROR, _DONE):
                return
            yield block[_HEADER.size : length]
            block = block[(length + 3) & ~3 :]


def _read(message: bytes, family: int, *, is_tcp: bool) -> _Socket:
    _, state, _, _, local_port, remote_port, local, remote = _MESSAGE.unpack_from(message)
    inode = _TAIL.unpack_from(message, _MESSAGE.size + 12)[4]  # between them: the interface and a cookie
    times = (0, 0, 0)
    attributes = message[_MESSAGE.size + 12 + _TAIL.size :]
    while len(attributes) >= _ATTRIBUTE.size:
        length, kind = _ATTRIBUTE.unpack_from(attributes)
        if kind == _INFO:
            times = _TIMES.unpack_from(attributes, _ATTRIBUTE.size)
        attributes = attributes[max(_ATTRIBUTE.size, (length + 3) & ~3) :]
    ends = (_host(local, family), local_port), (_host(remote, family), remote_port)
    return _Socket(is_tcp, state, *ends, str(inode), *times)


def _host(packed: bytes, family: int) -> str:
    address = ip_address(packed[: 4 if family == socket.AF_INET else 16])
    return str((address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address)
