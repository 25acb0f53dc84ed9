"""The metadata was copied from staging: it speaks of another server, and strict clients stop here."""
# expects: resource-metadata-invalid
# exit: 3
# url: /mcp

from tests.servers.faulty.authorization._house import house

answer = house(protected={"resource": "https://staging.acme.example/mcp"})
