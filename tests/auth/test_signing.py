"""Signatures that others can check."""

import base64
import hashlib

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from inspector.auth.signing import Prover, sign
from inspector.errors import UsageError


def test_what_is_signed_can_be_checked_with_the_public_key() -> None:
    for algorithm, key in (("ES256", ECKey.generate_key("P-256")), ("RS256", RSAKey.generate_key(2048))):
        signed = sign({"iss": "me"}, key.as_pem(private=True).decode(), algorithm)
        assert jwt.decode(signed, key, algorithms=[algorithm]).claims == {"iss": "me"}


@pytest.mark.parametrize(
    ("key", "algorithm", "says"),
    [("no key", "ES256", "can't sign"), ("x", "none", "no algorithm"), ("x", "HS256", "no algorithm")],
)
def test_a_key_that_is_none_is_told(key: str, algorithm: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        sign({}, key, algorithm)


def test_a_proof_is_for_one_request_and_one_token() -> None:
    prover = Prover()
    proof = prover.proof("POST", "https://api.example/mcp?x=1#y", nonce="n", access_token="t")
    header = jwt.decode(proof, prover._key, algorithms=["ES256"]).header
    claims = jwt.decode(proof, prover._key, algorithms=["ES256"]).claims
    assert header["typ"] == "dpop+jwt"
    assert "d" not in header["jwk"]
    assert (claims["htm"], claims["htu"], claims["nonce"]) == ("POST", "https://api.example/mcp", "n")
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"t").digest()).rstrip(b"=").decode()
    assert claims["ath"] == digest
    other = jwt.decode(prover.proof("POST", "https://api.example/mcp"), prover._key, algorithms=["ES256"]).claims
    assert other["jti"] != claims["jti"]
    assert not {"ath", "nonce"} & set(other)
