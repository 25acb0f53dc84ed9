"""Clients can't register, and no client id was given: the login can't begin."""
# expects: client-registration-unavailable
# exit: 3
# url: /mcp

from tests.servers.faulty.authorization._house import house

answer = house(about={"registration_endpoint": None})
