"""A capture with a secret in every place and every spelling that a capture has."""

import base64
import json
from pathlib import Path
from urllib.parse import quote

from inspector.capture.format.file import CaptureFile, create
from inspector.capture.journal import Journal
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
    "json escapes": "u-esc-55-barnacle",
    "twice escaped": "tw-esc-66-conch",
    "percent escapes": "pct-77-scallop/+",
    "base64 of json": "b64json-88-urchin",
    "base64 of base64": "b64b64-99-anemone",
    "a late one in base64": "late-in-b64-31-coral",
    "a late one in a URL": "late-in-url-32/sponge",
    "a late one in bytes": "late-in-bytes-33-nautilus",
    "a late one with escapes": "late-esc-34-starfish",
    "a late one as a key": "late-key-35-seahorse",
    "a key": "sk-key-of-an-object-0123456789",
    "a blob": "blob-41-lobster-pot",
    "an address": "uri-42-langoustine",
    "stderr in JSON": "err-43-cuttlefish",
    "the reason of an end": "why-44-periwinkle",
    "a dump": "dump-45-sea-cucumber",
    "a masked neighbour": "next-46-anglerfish",
    "the name of a method": "ghp_methodmethodmethod0123",
    "several words": "words-47-plankton",
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
    _hidden(journal)
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


def _hidden(journal: Journal) -> None:
    """Secrets in spellings that nobody sees at a look; the last message tells those that are known late."""
    p = PLANTED
    letters = "".join(f"\\u{ord(sign):04X}" for sign in p["json escapes"])
    sent(journal, b'{"id":10,"params":{"password":"%s"}}' % letters.encode())
    twice = json.dumps({"a": f'{{"pass\\u0077ord":"{p["twice escaped"]}"}}'})
    sent(journal, json.dumps({"id": 11, "params": {"text": twice}}).encode())
    twofold = base64.b64encode(base64.b64encode(f"password: {p['base64 of base64']}".encode())).decode()
    blob = base64.b64encode(f"[aws]\nsecret_access_key = {p['a blob']}\n".encode()).decode()
    late_escaped = "".join(f"\\u{ord(sign):04x}" for sign in p["a late one with escapes"])
    for message in (
        {"id": 12, "params": {"u": f"https://x.example/?a=1&pass%77ord={quote(p['percent escapes'], safe='')}"}},
        {"id": 13, "params": {"d": base64.b64encode(json.dumps({"apiKey": p["base64 of json"]}).encode()).decode()}},
        {"id": 14, "params": {"d": twofold, "w": base64.b64encode(p["a late one in base64"].encode()).decode()}},
        {"id": 15, "params": {"u": f"see /{quote(p['a late one in a URL'], safe='')}/", p["a key"]: 1}},
        {"id": 16, "params": {p["a late one as a key"]: True, "x": f"id {p['a late one as a key']}"}},
        {"id": 17, "result": {"contents": [{"uri": f"db://u:{p['an address']}@h/x", "blob": blob}]}},
        {"id": 18, "result": {"content": [{"text": p["a dump"].encode().hex()}]}},
        {"id": 19, "method": p["the name of a method"]},
        {"id": 20, "result": {"list": [{"name": "Session ID", "value": p["several words"]}]}},
    ):
        came(journal, json.dumps(message).encode())
    came(journal, b'{"id":21,"params":{"w":"%s"}}' % late_escaped.encode())
    came(journal, b"\xff\xfe " + p["a late one in bytes"].encode())
    journal.fact(Stderr(json.dumps({"level": "info", "db_password": p["stderr in JSON"]}).encode()))
    journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "stdio", why=f"token={p['the reason of an end']} refused"))
    headers = (("Authorization", "Bearer •••••• (40 characters)"), ("X-Auth-Token", p["a masked neighbour"]))
    journal.fact(HttpFact(HttpEvent.REQUEST, 2, method="POST", target="https://example.com/", headers=headers))
    late = [value for name, value in p.items() if name.startswith("a late one")]
    came(journal, json.dumps({"id": 22, "params": {"passwords": late, "secret": p["a dump"]}}).encode())


def _http(journal: Journal) -> None:
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
