"""Who we are to an authorization server."""

import pytest

from inspector.auth.discovery import ServerMetadata
from inspector.auth.registration import find_client
from inspector.auth.steps import Client, LoginFailed, LoginOptions, StoredLogin
from tests.auth.scripted import ISSUER, REGISTER, World, answer, page

SERVER = ServerMetadata(ISSUER, registration_endpoint=REGISTER)
WISHES = LoginOptions(redirect_uri="http://127.0.0.1:5/callback")


def find(
    world: World, server: ServerMetadata = SERVER, login_options: LoginOptions = WISHES, **known: Client
) -> Client:
    return world.play(find_client(server, login_options, StoredLogin(clients=dict(known.items())), ("read",)))


def test_registration_is_for_a_native_client_without_secret() -> None:
    world = World()
    assert find(world) == Client("registered", registered=True, redirect_uri=WISHES.redirect_uri)
    (fetch,) = world.fetched
    assert fetch.json["application_type"] == "native"
    assert fetch.json["redirect_uris"] == [WISHES.redirect_uri]
    assert fetch.json["grant_types"] == ["authorization_code", "refresh_token"]
    assert (fetch.json["token_endpoint_auth_method"], fetch.json["scope"]) == ("none", "read")


def test_client_method_is_that_of_the_registration() -> None:
    told = {"client_id": "a", "client_secret": "s", "token_endpoint_auth_method": "client_secret_post"}
    assert find(World(register=answer(told))).method == "client_secret_post"
    del told["token_endpoint_auth_method"]
    assert find(World(register=answer(told))).method == "client_secret_basic"


def test_a_client_that_was_registered_with_this_address_is_used_again() -> None:
    before = Client("before", registered=True, redirect_uri=WISHES.redirect_uri)
    world = World()
    assert world.play(find_client(SERVER, WISHES, StoredLogin(clients={ISSUER: before}), ())) == before
    assert world.fetched == []
    elsewhere = StoredLogin(clients={"https://other.example": before})
    assert world.play(find_client(SERVER, WISHES, elsewhere, ())).client_id == "registered"


def test_a_document_about_the_client_goes_before_a_registration_where_it_is_taken() -> None:
    login_options = LoginOptions(metadata_url="https://client.example/me.json")
    takes = ServerMetadata(ISSUER, registration_endpoint=REGISTER, takes_metadata_documents=True)
    assert find(World(), takes, login_options).client_id == "https://client.example/me.json"
    assert find(World(), SERVER, login_options).client_id == "registered"


@pytest.mark.parametrize(
    ("listed", "method"),
    [
        (None, "client_secret_basic"),
        (("client_secret_post",), "client_secret_post"),
        (("none",), "client_secret_basic"),
    ],
)
def test_a_client_that_was_given_proves_itself_as_the_server_lists(listed: tuple[str, ...] | None, method: str) -> None:
    server = ServerMetadata(ISSUER, token_methods=listed)
    assert find(World(), server, LoginOptions("me", "secret")) == Client("me", "secret", method)
    assert find(World(), server, LoginOptions("me")).method == "none"
    assert find(World(), server, LoginOptions("me", private_key="PEM")).method == "private_key_jwt"


def test_unsupported_registration_advises_client_id() -> None:
    world = World()
    with pytest.raises(LoginFailed):
        find(world, ServerMetadata(ISSUER))
    assert "--client-id" in world.broken.fix


def test_refused_registration_is_reported_in_the_servers_words() -> None:
    refused = answer({"error": "invalid_redirect_uri", "error_description": "no loopback"}, 400)
    with pytest.raises(LoginFailed, match="invalid_redirect_uri no loopback"):
        find(World(register=refused))
    with pytest.raises(LoginFailed, match="which is not JSON"):
        find(World(register=page()))
