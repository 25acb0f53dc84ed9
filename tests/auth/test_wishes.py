"""What a login leaves behind."""

from inspector.auth.wishes import Client, Known


def test_a_client_is_kept_for_its_own_issuer_alone() -> None:
    known = Known().with_client("https://a.example", Client("a")).with_client("https://b.example", Client("b"))
    assert {issuer: each.client_id for issuer, each in known.clients.items()} == {
        "https://a.example": "a",
        "https://b.example": "b",
    }
    assert set(known.with_client("https://a.example", None).clients) == {"https://b.example"}
