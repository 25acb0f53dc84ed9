"""A single-page application answers every path with 200 and its page, the metadata, too."""
# expects: metadata-is-html
# exit: 3
# url: /mcp

from tests.servers.faulty.authorization._house import ABOUT, PAGE, PROTECTED, house

ROOT = "/.well-known/oauth-protected-resource"
answer = house(instead={PROTECTED: PAGE, ROOT: PAGE, ABOUT: PAGE})
