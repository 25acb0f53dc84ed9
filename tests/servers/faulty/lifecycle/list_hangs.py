"""The handshake succeeds; its list of tools waits for a service that does not respond."""
# expects: silent-after-handshake
# exit: 7
# options: --timeout 2.5

from tests.servers.speaking import serve

serve({"tools/list": lambda request: None})
