"""Secrets in places without a telling name or header: no spelling of them is in a shared copy."""

import base64
import json
import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import quote

import pytest

from inspector.capture.format.file import CaptureFile, create
from inspector.capture.journal import Journal
from inspector.features.share.share import ShareRequest, Sharing
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact, SseNote, Stderr
from tests.capture.recording import came, over, sent

_RANDOM = random.Random(4711)
_PHRASE = "walnut harbor velvet tractor"


def _der(head: str, length: int) -> str:
    """DER that begins as a private key of that kind does, in base64."""
    body = bytes.fromhex(head)
    return base64.b64encode(body + _RANDOM.randbytes(length - len(body))).decode()


def _pkcs8(length: int = 1217) -> str:
    return _der(f"3082{length - 4:04x}020100300d06092a864886f70d0101010500", length)


def _rsa(length: int = 1191) -> str:
    return _der(f"3082{length - 4:04x}020100028201", length)


def _pkcs12(length: int = 1400) -> str:
    return _der(f"3082{length - 4:04x}0201033082053a06092a864886f70d010701", length)


def _encrypted(length: int = 1329) -> str:
    return _der(f"3082{length - 4:04x}305706092a864886f70d01050d304a", length)


def _ed25519() -> str:
    return _der("302e020100300506032b657004220420", 48)


def _ec() -> str:
    return _der("30770201010420", 121)


def _ec_pkcs8() -> str:
    return _der("308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420", 138)


def _openssh(length: int = 399) -> str:
    return base64.b64encode(b"openssh-key-v1\0" + _RANDOM.randbytes(length - 15)).decode()


def _wrapped(text: str, width: int = 64) -> list[str]:
    return [text[at : at + width] for at in range(0, len(text), width)]


def _hex(count: int = 32) -> str:
    return _RANDOM.randbytes(count).hex()


def _parts(secret: str | list[str]) -> list[str]:
    """What must not be found: the secret, and a piece of each of its lines."""
    lines = [secret] if isinstance(secret, str) else secret
    return [line[4:24] if len(line) >= 32 else line for line in lines]


class _Planted:
    """A capture in the making, and what is hidden in it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.secrets: dict[str, list[str]] = {}
        self._ids = iter(range(1, 1000))

    def hide(self, name: str, secret: str | list[str]) -> None:
        assert name not in self.secrets
        self.secrets[name] = _parts(secret)

    def stderr(self, name: str, secret: str | list[str], lines: Iterable[str]) -> None:
        self.hide(name, secret)
        for line in (*lines, "worker is idle"):
            self._journal.fact(Stderr(line.encode()))

    def log(self, name: str, secret: str | list[str], data: Iterable[object]) -> None:
        self.hide(name, secret)
        for each in data:
            params = {"level": "info", "data": each}
            came(self._journal, json.dumps({"method": "notifications/message", "params": params}).encode())

    def result(self, name: str, secret: str | list[str], result: object) -> None:
        self.hide(name, secret)
        came(self._journal, json.dumps({"id": next(self._ids), "result": result}).encode())

    def error(self, name: str, secret: str | list[str], message: str, data: object = None) -> None:
        self.hide(name, secret)
        error = {"code": -32000, "message": message, "data": data}
        came(self._journal, json.dumps({"id": next(self._ids), "error": error}).encode())

    def arguments(self, name: str, secret: str | list[str], arguments: object) -> None:
        self.hide(name, secret)
        message = {"id": next(self._ids), "method": "tools/call", "params": {"name": "t", "arguments": arguments}}
        sent(self._journal, json.dumps(message).encode())

    def http(self, name: str, secret: str | list[str], target: str, *headers: tuple[str, str]) -> None:
        self.hide(name, secret)
        fact = HttpFact(HttpEvent.REQUEST, next(self._ids), method="POST", target=target, headers=headers)
        self._journal.fact(fact)

    def argv(self, name: str, secret: str | list[str], *argv: str) -> None:
        self.hide(name, secret)
        self._journal.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=argv))

    def sse(self, name: str, secret: str | list[str], payload: str) -> None:
        self.hide(name, secret)
        self._journal.fact(SseNote(1, payload.encode(), event="x"))


def _plant(at: _Planted) -> None:
    for plant in (_keys_without_begin, _blocks_on_stderr, _hex_keys, _phrases, _sentences, _json_logs, _elsewhere):
        plant(at)


def _keys_without_begin(at: _Planted) -> None:
    kinds: dict[str, Callable[[], str]] = {
        "pkcs8": _pkcs8,
        "rsa": _rsa,
        "pkcs12": _pkcs12,
        "encrypted": _encrypted,
        "ed25519": _ed25519,
        "ec": _ec,
        "ec in pkcs8": _ec_pkcs8,
        "openssh": _openssh,
    }
    for kind, made in kinds.items():
        key = made()
        at.stderr(f"{kind} in a line", key, [f"loaded {key} from disk"])
        key = made()
        at.stderr(f"{kind} wrapped", _wrapped(key), ["[srv] " + line for line in _wrapped(key)])
        key = made()
        at.result(f"{kind} as a value", key, {"material": key})
        key = made()
        at.result(f"{kind} wrapped in a text", _wrapped(key, 76), {"text": "here:\n" + "\n".join(_wrapped(key, 76))})
    key = _pkcs8()
    at.result("a key in a blob", key, {"contents": [{"uri": "file:///id.der", "blob": key}]})
    key = _pkcs8()
    inner = base64.b64encode(f"id_rsa {key}".encode()).decode()
    at.result("base64 of base64", key, {"blob": inner})
    key = _rsa()
    at.error("a key in error data", key, "bad key", {"given": [key]})
    key = _openssh()
    at.error("an OpenSSH key in a message", key, f"can't parse {key}")
    key = _pkcs8().replace("+", "A").replace("/", "B")
    at.http("a key in a URL", key, f"https://h.example/sign?with={quote(key, safe='')}")
    key = _ed25519()
    at.http("a key in a header", key, "https://h.example/", ("X-Material", key))
    key = _ec()
    at.argv("a key in the environment of a command", key, "env", f"MATERIAL={key}", "srv")
    key = _rsa()
    at.sse("a key in an event", key, f"data: {key}")
    key = _rsa()
    lines = _wrapped(key)
    at.stderr("a key between other lines", lines, [lines[0], "GET /health 200", *lines[1:3], "tick", *lines[3:]])


def _blocks_on_stderr(at: _Planted) -> None:
    def putty(private: str, mac: str) -> list[str]:
        public = _wrapped(base64.b64encode(_RANDOM.randbytes(51)).decode())
        head = ["PuTTY-User-Key-File-3: ssh-ed25519", "Encryption: none", "Comment: me"]
        lines = _wrapped(private)
        body = [f"Public-Lines: {len(public)}", *public, f"Private-Lines: {len(lines)}", *lines]
        return [*head, *body, f"Private-MAC: {mac}"]

    def material(length: int) -> str:
        return base64.b64encode(_RANDOM.randbytes(length)).decode()

    for name, prefix, length in (("plain", "", 36), ("of a logger", "12:00:01 INFO ", 600)):
        private, mac = material(length), _hex()
        lines = putty(private, mac)
        at.stderr(f"putty {name}", [*_wrapped(private), mac], [prefix + line for line in lines])
    private, mac = material(300), _hex()
    at.result("putty in a text", [*_wrapped(private), mac], {"text": "\r\n".join(putty(private, mac))})
    private, mac = material(300), _hex(20)
    at.error("putty in error data", [*_wrapped(private), mac], "bad", {"file": "\n".join(putty(private, mac))})
    for name, comment in (("with a comment", ['Comment: "2048-bit rsa, me@host"']), ("bare", [])):
        body = _wrapped(material(300), 70)
        begin, end = "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", "---- END SSH2 ENCRYPTED PRIVATE KEY ----"
        at.stderr(f"ssh2 {name}", body, [begin, *comment, *body, end])
        body = _wrapped(material(300), 70)
        at.result(f"ssh2 {name} in a text", body, {"text": "\n".join([begin, *comment, *body, end])})
    body = _wrapped(material(600))
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    one = "\\n".join([begin, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00FF", "", *body, end])
    at.stderr("an encrypted PEM in one line", body, [f"key: {one}"])
    body = _wrapped(material(600))
    logged = [json.dumps({"level": "error", "msg": line}) for line in (begin, *body, end)]
    at.stderr("a PEM in JSON log lines", body, logged)


def _hex_keys(at: _Planted) -> None:
    for text in (
        "AES key {}",
        "the signing key is {}",
        "private key 0x{}",
        "secret (hex) {}",
        "encryption key (32 bytes): {}",
        "using api key {} for calls",
        "session token -> {}",
    ):
        key = _hex()
        at.stderr(f"hex: {text}", key, [text.format(key)])
    key = _hex()
    at.result("hex in a text", key, {"text": f"Generated master key {key.upper()}".replace(key.upper(), key)})
    key = _hex()
    at.stderr("hex on lines after its name", _wrapped(key, 32), ["secret key:", *("  " + w for w in _wrapped(key, 32))])
    key = ":".join(_wrapped(_hex(), 2))
    at.stderr("hex with colons", key, [f"private key: {key}"])
    rows = [":".join(_wrapped(_hex(15), 2)) + ":" for _ in range(3)]
    at.stderr("a key as openssl prints it", rows, ["priv:", *("    " + row for row in rows), "pub:"])


def _phrases(at: _Planted) -> None:
    for number, name in enumerate(("passphrase:", "password=", "Passwort:", "db.passphrase =", "mnemonic:")):
        phrase = f"{_PHRASE} {('zebra', 'igloo', 'quartz', 'meadow', 'anchor')[number]}"
        at.stderr(f"words after {name}", phrase, [f"12:00:01 {name}", f"12:00:01 {phrase}"])
    at.stderr("quoted words", "Plum orchard tonight", ["password:", '"Plum orchard tonight"'])
    at.stderr("words behind the name", "copper lantern saddle mitten", ["password: copper lantern saddle mitten"])
    at.result("a phrase in a text", "pepper canyon violin stamp", {"text": "passphrase: pepper canyon violin stamp"})
    at.result(
        "a phrase below", "ribbon castle pigeon olive", {"text": "the passphrase:\nribbon castle pigeon olive\nbye"}
    )
    at.error("a phrase in an error", "bamboo trumpet glacier onion", "seed phrase: bamboo trumpet glacier onion")
    at.log("a phrase in the log", "cactus ladder mosaic wagon", ["passphrase:", "cactus ladder mosaic wagon"])


def _sentences(at: _Planted) -> None:
    at.result("password is", "Sw0rdf1sh", {"text": "The password is Sw0rdf1sh, keep it safe."})
    at.result("a plain word", "barracuda", {"text": "Your password is barracuda."})
    at.result("in quotes", "open the gate", {"text": 'The password is "open the gate" for now'})
    at.error("password for", "tr0ub4dor", "the password for bob is tr0ub4dor")
    at.stderr("password was", "Mackerel#7", ["password was Mackerel#7"])
    at.stderr("set to", "hunter-21-x", ["admin password set to hunter-21-x"])
    at.log("api key is", "zk81-22-aa", ["my API key is zk81-22-aa"])
    at.arguments("in a prompt", "letmein-99", {"text": "log in as eve, the password is letmein-99 and go on"})
    at.result("a pair", "bluefin-tuna", {"text": "user: eve\npassword: bluefin-tuna\n"})


def _json_logs(at: _Planted) -> None:
    def line(text: str, key: str = "msg") -> str:
        return json.dumps({"ts": 1, "level": "info", key: text})

    at.stderr("the next JSON line", "trout-4-perch", [line("password:"), line("trout-4-perch")])
    at.stderr("of another key", "grayling-5-x", [line("api_key=", "message"), line("grayling-5-x", "message")])
    at.stderr(
        "words in JSON", "marble falcon drizzle tango", [line("passphrase:"), line("marble falcon drizzle tango")]
    )
    at.log("data of an object", "pollock-6-y", [{"msg": "token:"}, {"msg": "pollock-6-y"}])
    at.stderr("printed JSON", "sturgeon-8-z", ["{", '  "name": "API_KEY",', '  "value": "sturgeon-8-z"', "}"])
    at.stderr("a value below its key", "haddock-9-w", ["{", '  "password":', '    "haddock-9-w"', "}"])


def _elsewhere(at: _Planted) -> None:
    key = _openssh()
    at.arguments("an OpenSSH key in a file to write", _wrapped(key, 70), {"content": "\n".join(_wrapped(key, 70))})
    key = _pkcs8()
    at.arguments("JSON in a string", key, {"json": json.dumps({"again": json.dumps({"m": key})})})
    jwk = {"kty": "EC", "crv": "P-256", "d": base64.urlsafe_b64encode(_RANDOM.randbytes(32)).decode().rstrip("=")}
    at.result("a JWK", jwk["d"], {"keys": [jwk]})
    at.http("a sentence in a header", "Gurnard-77", "https://h.example/", ("X-Note", "the password is Gurnard-77"))
    at.http("a sentence in a URL", "Flounder-78", "https://h.example/?q=the%20password%20is%20Flounder-78")
    held = base64.b64encode(b"the password is Dorade-79").decode()
    at.result("a sentence in base64", "Dorade-79", {"blob": held})


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[_Planted, Path]:
    path = tmp_path_factory.mktemp("hard") / "planted.mcpcap"
    journal = over(CaptureFile(create(path), path))
    at = _Planted(journal)
    _plant(at)
    journal.close()
    sharing = Sharing(path, ShareRequest(b"a key of some bytes"))
    try:
        sharing.learn()
        sharing.write(path.with_name("copy.mcpcap"))
    finally:
        sharing.close()
    return at, path


def _readings(path: Path) -> str:
    """A file, and what its JSON, URLs and base64 hold."""
    text = path.read_text()
    found = [text, re.sub(r"\\+(.)", r"\1", text)]
    for run in re.findall(r"[A-Za-z0-9+/]{16,}", text):
        held = base64.b64decode(run[: len(run) - (len(run) % 4 == 1)] + "=" * (-len(run) % 4))
        found += [held.decode()] if held.isascii() else []
    return "\n".join(each.replace("%20", " ") for each in found)


def test_no_secret_in_a_hard_place_is_in_the_copy(planted: tuple[_Planted, Path]) -> None:
    at, path = planted
    original, copy = _readings(path), _readings(path.with_name("copy.mcpcap"))
    assert len(at.secrets) >= 60
    assert [name for name, parts in at.secrets.items() if not all(part in original for part in parts)] == []
    assert [name for name, parts in at.secrets.items() if any(part in copy for part in parts)] == []
