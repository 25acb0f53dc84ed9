"""It starts and answers that it does not know server/discover, but the handler of initialize waits for a database."""
# expects: server-silent
# exit: 7
# options: --timeout 2.5

from tests.servers.speaking import serve

serve({"initialize": lambda request: None})
