"""The URL is the product's home page: everything is answered with 200 and HTML."""
# expects: html-response
# exit: 4
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.http_fixtures import always

answer = always(
    HttpResponse(200, (("Content-Type", "text/html"),), b"<!doctype html><title>Acme Weather</title><p>Sign in</p>")
)
