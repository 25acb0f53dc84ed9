"""Its authorization server does not say that it supports PKCE: clients must not go on."""
# expects: authorization-server-metadata-invalid
# exit: 3
# url: /mcp

from tests.servers.faulty.authorization._house import house

answer = house(about={"code_challenge_methods_supported": None})
