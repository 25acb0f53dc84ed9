"""The URL of its login page is a script: opening it runs the server's code."""
# expects: unsafe-metadata-url
# exit: 3
# url: /mcp

from tests.servers.faulty.authorization._house import house

answer = house(about={"authorization_endpoint": "javascript:alert(document.cookie)"})
