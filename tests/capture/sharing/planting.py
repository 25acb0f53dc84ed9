"""A capture with a secret in every place and every spelling that a capture has."""

import base64
import json
from pathlib import Path
from urllib.parse import quote

from inspector.capture.file import CaptureFile
from inspector.capture.opening import create
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact, SseNote, Stderr
from inspector.protocol.frames import Channel, Eol, SseFacts
from tests.capture.recording import CAME, SENT, came, over, sent

GIVEN = {
    "LIGHTHOUSE_KEY": 'Lamp-7731-oil/and"wick\\',
    "DATABASE": "postgres://keeper:B0llard77@db/log",
    "PIN_CODE": "84",
    "TERM": "xterm",
}
"""The environment of whoever shares."""
NAMED = "quiet harbour öl 5"
"""Known from a file of secrets."""
_JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJrZWVwZXIifQ.c2lnbmF0dXJlMTIz"
_PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAz77\nq8Zs01\n-----END RSA PRIVATE KEY-----\n"
PLANTED = {
    "environment": GIVEN["LIGHTHOUSE_KEY"],
    "authorization": "bearer-0a1b2c3d4e5f",
    "basic": base64.b64encode(b"keeper:Gull5wing").decode(),
    "cookie": "c00kie-77-crumbs",
    "session": "sess-4711-0815-abcd",
    "option": "optval-99-sardine",
    "assignment": "assigned-31-cod",
    "query": "qp-55-herring/x",
    "userinfo": "Us3rinfo-plaice",
    "key": "kelp1234word",
    "nested": "nest-3-egg-yolk",
    "deep": "deep-6-trench-x",
    "base64": "b64-inner-88-crab",
    "bytes": "bytes-inner-21-eel",
    "stderr": "stderr-17-shrimp",
    "sse": "sse-event-64-squid",
    "torn": "torn-line-12-whelk",
    "escaped": "esc-14-limpet",
    "pair": "pair-value-41-krill",
    "default": "default-91-mussel",
    "document": "doc-27-oyster-bed",
    "late": "late-learnt-38-cockle",
    "path": "a private word",
    "file": NAMED,
    "github": "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "openai": "sk-proj-Abcdefghijklmnop0123456789",
    "anthropic": "sk-ant-api03-Zyxwvutsrqponmlk9876543210",
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "slack": "xoxb-1234567890-abcdefghij",
    "google": "AIzaSyA0123456789abcdefghijklmnopqrstu",
    "jwt": _JWT,
    "pem": "MIIEowIBAAKCAQEAz77",
    "number": "90210347",
    "home": "/home/annelise",
    "user": "annelise",
}
"""Each secret by its place. None of them may be found in a copy, in any spelling."""


def planted(path: Path) -> Path:
    """The capture, written as any other."""
    journal = over(CaptureFile(create(path), path))
    p = PLANTED
    argv = ("srv", "--api-key", p["option"], f"SERVICE_TOKEN={p['assignment']}", f"--dir={p['home']}/x")
    names = ("PATH", "LIGHTHOUSE_KEY", "DATABASE", "PIN_CODE", "NOT_HERE_TOKEN")
    journal.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=argv, cwd=p["home"], env_names=names))
    journal.fact(Stderr(f"started with {p['environment']} for {p['user']}".encode()))
    journal.fact(Stderr(f"password: {p['stderr']} \udcff {p['github']}".encode("utf-8", "surrogateescape")))
    for message in _messages():
        sent(journal, json.dumps(message).encode())
    sent(journal, json.dumps({"method": "x", "params": {"v": p["late"], "f": NAMED}}, ensure_ascii=False).encode())
    sent(journal, b'{"id":3,"params":{"p\\u0061ssword":"%s", "e":"%s"}}' % (p["escaped"].encode(), b"1E2"))
    came(journal, b"\xff\xfe log: token=%s then" % p["bytes"].encode())
    came(journal, b'{"id": 4, "result": {"api_key": "%s' % p["torn"].encode(), eol=Eol.NONE)
    _http(journal)
    journal.fact(
        ConnectionFact(ConnectionEvent.ABORT, "stdio", why=f"refused {quote(GIVEN['LIGHTHOUSE_KEY'], safe='')}")
    )
    journal.close()
    return path


def _messages() -> list[object]:
    p = PLANTED
    inner = json.dumps({"client_secret": p["nested"], "again": json.dumps({"refresh_token": p["deep"]})})
    hidden = base64.b64encode(f"user log {p['base64']} password={p['base64']}".encode()).decode()
    offsets = [base64.b64encode(b"x" * n + GIVEN["LIGHTHOUSE_KEY"].encode() + b"yz").decode() for n in range(3)]
    tokens = " ".join(p[name] for name in ("openai", "anthropic", "aws", "slack", "google", "jwt"))
    schema = {"type": "object", "properties": {"token": {"type": "string", "default": p["default"]}}}
    return [
        {"id": 1, "method": "tools/call", "params": {"arguments": {"path": p["path"], "password": p["key"]}}},
        {"id": 1, "result": {"content": [{"type": "text", "text": inner}, {"type": "blob", "data": hidden}]}},
        {"id": 2, "result": {"text": f"tokens {tokens}", "key": _PEM, "offsets": offsets, "login": p["user"]}},
        {"id": 5, "result": {"env": [{"name": "API_KEY", "value": p["pair"]}], "auth_pin_secret": int(p["number"])}},
        {"id": 6, "result": {"tools": [{"name": "t", "inputSchema": schema}]}},
        [{"id": 7, "params": {"arguments": {"path": p["path"]}}}, {"id": 8, "params": {"password": p["key"]}}],
    ]


def _http(journal: object) -> None:
    from inspector.capture.journal import Journal

    assert isinstance(journal, Journal)
    p = PLANTED
    url = f"https://keeper:{p['userinfo']}@example.com/mcp?api_key={quote(p['query'], safe='')}&page=2"
    headers = (
        ("Authorization", f"Bearer {p['authorization']}"),
        ("Proxy-Authorization", f"Basic {p['basic']}"),
        ("Cookie", f"theme=dark8; sid={p['cookie']}"),
        ("Mcp-Session-Id", p["session"]),
        ("X-Api-Key", p["late"]),
        ("Accept", "application/json"),
    )
    journal.fact(HttpFact(HttpEvent.REQUEST, 1, method="POST", target=url, headers=headers))
    journal.frame(
        CAME,
        Channel.SSE,
        json.dumps({"method": "m", "params": {"Authorization": f"Bearer {p['authorization']}"}}).encode(),
        http=1,
        sse=SseFacts("message", p["session"], None),
    )
    journal.fact(SseNote(1, f'event: x\ndata: {{"access_token": "{p["sse"]}"}}'.encode(), event="x", id=p["sse"]))
    document = json.dumps({"issuer": "https://example.com", "registration_access_token": p["document"]}).encode()
    journal.fact(HttpFact(HttpEvent.END, 1, body_bytes=9, document=document))
    journal.frame(SENT, Channel.POST, b'{"id":9,"method":"ping"}', http=1)
