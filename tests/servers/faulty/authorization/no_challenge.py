"""It answers 401 and does not say where to ask for a token: clients have to guess."""
# expects: missing-www-authenticate
# exit: 3
# url: /mcp

from tests.servers.faulty.authorization._house import house

answer = house(challenge=None)
