"""The authorization server calls itself by another name than the one that it was found under."""
# expects: A-05
# exit: 3
# url: /mcp

from tests.servers.faulty.authorization._house import house

answer = house(about={"issuer": "https://login.acme.example"})
