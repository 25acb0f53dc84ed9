"""The address of its login page is a script: whoever opens it runs what the server likes."""
# expects: unsafe-metadata-url
# exit: 3
# url: /mcp

from tests.servers.faulty.authorization._house import house

answer = house(about={"authorization_endpoint": "javascript:alert(document.cookie)"})
