"""A resource template was written by hand: its braces do not close, and no client can make an address of it."""
# expects: invalid-uri

from tests.servers.speaking import HELLO, serve

TEMPLATE = {"uriTemplate": "weather://{city/{day", "name": "forecast", "description": "Tells the weather."}
serve(
    {
        "initialize": HELLO | {"capabilities": {"resources": {}}},
        "resources/list": {"resources": []},
        "resources/templates/list": {"resourceTemplates": [TEMPLATE]},
    }
)
