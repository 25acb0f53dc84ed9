"""Makes the samples of the format, `tests/captures/format/`: one file for each thing that a reader has to get right.

`python -m tests.captures.formats` writes them anew; a test sees that they are what this makes. What a reader must do
with each stands in `expected.json` beside them, for readers in any language.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

DIRECTORY = Path(__file__).with_name("format")
TW, TM = 1_795_300_000_000_000_000, 1_000_000_000
HEAD: dict[str, Any] = {
    "r": "head",
    "format": "mcpcap",
    "v": "1.0",
    "must": [],
    "id": "9f0c1a52-0000-4000-8000-000000000001",
    "tw": TW,
    "tm": TM,
    "tz": "UTC",
    "tool": {"name": "samples", "version": "1"},
    "mode": "client",
    "redaction": {"policy": "none", "on": "none"},
}
ASK = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}'
_EOL = {"lf": b"\n", "crlf": b"\r\n", "none": b""}


def frame(n: int, payload: bytes, *, came: bool = False, eol: str = "lf", **more: Any) -> dict[str, Any]:
    """A frame over stdio, without what stands for its payload where `more` has that."""
    record = {"r": "frame", "n": n, "c": "c1", "dir": "s2c" if came else "c2s", "ch": "stdout" if came else "stdin"}
    record |= {"tm": TM + n * 1_000_000, "tw": TW + n * 1_000_000, "len": len(payload), "eol": eol}
    record["origin"] = "server" if came else "inspector"
    if "raw_ref" in more:
        return record | more
    try:
        record["raw"] = payload.decode()
    except UnicodeDecodeError:
        import base64

        record["b64"] = base64.b64encode(payload).decode()
    return record | more


def sums(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The digests over the frames that are here, as whoever observed them would write them."""
    import base64

    streams: dict[tuple[str, str], list[bytes]] = {}
    for each in records:
        if each["r"] == "frame" and ("raw" in each or "b64" in each):
            payload = base64.b64decode(each["b64"]) if "b64" in each else each["raw"].encode()
            streams.setdefault((each["dir"], each["ch"]), []).append(payload + _EOL[each["eol"]])
    return [
        {
            "r": "sum",
            "c": "c1",
            "dir": dir_,
            "ch": ch,
            "bytes": sum(map(len, parts)),
            "frames": len(parts),
            "sha256": hashlib.sha256(b"".join(parts)).hexdigest(),
        }
        for (dir_, ch), parts in streams.items()
    ]


def line(record: dict[str, Any]) -> bytes:
    """A record as it stands in a file."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def closed(records: list[dict[str, Any]], between: bytes = b"") -> bytes:
    """A whole file: the records, whatever stands `between`, digests, the end."""
    every = [*records, *sums(records)]
    body = b"".join(map(line, records)) + between + b"".join(map(line, every[len(records) :]))
    counts = Counter(each["r"] for each in every) + Counter(_types(between))
    return body + line({"r": "end", "counts": counts, "sha256": hashlib.sha256(body).hexdigest(), "clean": True})


def _types(lines: bytes) -> Iterator[str]:
    """The types of the records among lines."""
    for each in lines.splitlines():
        with suppress(ValueError, TypeError, KeyError):
            yield str(json.loads(each)["r"])


def _session() -> list[dict[str, Any]]:
    opened = {"r": "conn", "n": 1, "c": "c1", "tm": TM, "tw": TW, "ev": "open", "transport": "stdio"}
    opened |= {"target": {"argv": ["server"], "cwd": "/w"}, "env_names": ["PATH"]}
    return [HEAD, opened, frame(2, ASK), frame(3, ANSWER, came=True)]


def _headed(**changes: Any) -> list[dict[str, Any]]:
    return [HEAD | changes, *_session()[1:]]


def samples() -> dict[str, bytes]:
    good = closed(_session())
    strange = ["\x1b[2J\x1b]52;c;cm0gLXJm\x07", "\u202egnp.exe", "[@click=app.quit]x[/]", "\u2028\u0000\ufeff", "𐀀" * 3]
    hostile = [frame(n, json.dumps({"method": text}).encode(), came=True) for n, text in enumerate(strange, 4)]
    later = b'{"r":"hologram","n":4,"secret":1}\n{"r":"x-own","a":[{}]}\n'
    changed = good.replace(b'\\"tools\\":[]', b'\\"tools\\":{}')
    outside = frame(4, b"x" * 9, came=True, raw_ref="../../etc/passwd")
    return {
        "good.mcpcap": good,
        "empty.mcpcap": b"",
        "head-only.mcpcap": line(HEAD),
        "torn.mcpcap": good[: good.index(b'"n":3') + 60],
        "garbage.mcpcap": closed(_session()[:3], b"\xff\xfe rubbish\n\n[1,2]\n"),
        "newer-minor.mcpcap": closed([*_headed(v="1.9", later={"a": 1}), frame(4, b"{}", came=True, later=[1])], later),
        "newer-major.mcpcap": closed(_headed(v="2.0")),
        "unknown-must.mcpcap": closed(_headed(must=["hologram"])),
        "unknown-records.mcpcap": closed(_session(), later),
        "wrong-digest.mcpcap": changed,
        "wrong-length.mcpcap": closed([*_session()[:3], frame(3, ANSWER, came=True, len=5)]),
        "hostile.mcpcap": closed([*_session(), *hostile]),
        "binary.mcpcap": closed(
            [*_session(), frame(4, b"\xff\x00\xfe", came=True), frame(5, b"", came=True, eol="crlf")]
        ),
        "gap.mcpcap": closed(
            _session(), b'{"r":"gap","lost_frames":3,"lost_bytes":90,"why":"disk full","tm0":1,"tm1":2}\n'
        ),
        "bom.mcpcap": b"\xef\xbb\xbf" + good,
        "crlf.mcpcap": good.replace(b"\n", b"\r\n"),
        "huge-line.mcpcap": closed([*_session(), frame(4, b'{"method":"' + b"x" * 1_200_000 + b'"}', came=True)]),
        "side-file.mcpcap": closed([*_session(), outside]),
        "side-file.mcpcap.notes": line({"r": "head", "format": "mcpcap-notes", "v": "1.0", "file": "../good.mcpcap"}),
        "redacted.mcpcap": closed(_headed(redaction={"policy": "share", "on": "share"}), line(_REDACT)),
        "not-a-capture.mcpcap": b'{"lighthouse":{"keeper":1}}\n',
    }


_REDACT = {
    "r": "redact",
    "rule": "key",
    "n": 3,
    "path": "raw.result",
    "len": 16,
    "kh": "0123456789abcdef",
    "kind": "string",
}


def main() -> None:
    """Write all of them."""
    DIRECTORY.mkdir(exist_ok=True)
    for name, data in samples().items():
        (DIRECTORY / name).write_bytes(data)


if __name__ == "__main__":
    main()
