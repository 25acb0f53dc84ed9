"""“fetch failed”: the server was not started, or listens on another port."""
# expects: server-unreachable
# exit: 4
# url: http://127.0.0.1:1/mcp

from tests.servers.http_fixtures import always, json_answer

answer = always(json_answer())
