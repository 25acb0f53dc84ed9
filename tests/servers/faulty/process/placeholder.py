"""The host does not expand ${ACME_TOKEN}: the server gets these twelve characters, and its service refuses them."""
# expects: placeholder-not-expanded
# exit: 4
# command: {python} {file} --token ${ACME_TOKEN}

import sys

sys.exit(f"401 from the weather service: invalid token of {len(sys.argv[-1])} characters")
