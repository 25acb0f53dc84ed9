"""The authorization server calls itself by another name than the one that it was found under."""
# expects: authorization-server-metadata-invalid
# exit: 3
# url: /mcp

from tests.servers.faulty.authorization._house import house

answer = house(about={"issuer": "https://login.acme.example"})
