"""It needs a key, says so on stderr, and goes."""
# expects: environment-variable-missing
# exit: 4

import os
import sys

if "ACME_API_KEY" not in os.environ:
    sys.exit("Error: ACME_API_KEY environment variable is required")
