"""Signatures: a client's signed word about itself (RFC 7523) and proofs of possession of a token (RFC 9449).

Loaded when something has to be signed, and not before: cryptography takes longer to import than a login to begin.
"""

import base64
import hashlib
import time
import uuid
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey

from inspector.errors import UsageError

_KINDS: dict[str, type[ECKey] | type[RSAKey] | type[OKPKey]] = {
    "ES": ECKey,
    "RS": RSAKey,
    "PS": RSAKey,
    "Ed": OKPKey,
}
_DPOP_ALGORITHM = "ES256"


def sign(claims: dict[str, Any], key: str, algorithm: str) -> str:
    """A signed JWT of the claims; `key` is PEM. Raises: UsageError if the key is none or does not fit the algorithm."""
    kind = _KINDS.get(algorithm[:2])
    if kind is None:
        raise UsageError(f"{algorithm!r} is no algorithm for signatures", hint="Give ES256, RS256, PS256 or EdDSA.")
    try:
        return jwt.encode({"alg": algorithm}, claims, kind.import_key(key), algorithms=[algorithm])
    except (JoseError, ValueError, TypeError) as error:
        raise UsageError(f"the private key can't sign by {algorithm}: {error}", hint="It must be PEM.") from None


class Prover:
    """A key pair made for one connection, and proofs that we hold it. Bound tokens are worthless without it."""

    def __init__(self) -> None:
        self._key = ECKey.generate_key("P-256")

    def proof(self, method: str, url: str, *, nonce: str = "", access_token: str = "") -> str:
        """A proof for one request, good for it alone (RFC 9449, section 4.2)."""
        claims: dict[str, Any] = {"jti": str(uuid.uuid4()), "htm": method, "htu": _bare(url), "iat": int(time.time())}
        if nonce:
            claims["nonce"] = nonce
        if access_token:
            digest = hashlib.sha256(access_token.encode("ascii", "replace")).digest()
            claims["ath"] = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        header = {"typ": "dpop+jwt", "alg": _DPOP_ALGORITHM, "jwk": self._key.as_dict(private=False)}
        return jwt.encode(header, claims, self._key, algorithms=[_DPOP_ALGORITHM])


def _bare(url: str) -> str:
    """Without query and fragment."""
    return urlunsplit(urlsplit(url)._replace(query="", fragment=""))
