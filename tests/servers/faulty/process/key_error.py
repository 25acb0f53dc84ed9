"""It needs a token and takes it for granted: a traceback that ends with KeyError."""
# expects: environment-variable-missing
# exit: 4

import os

TOKEN = os.environ["ACME_ACCESS_TOKEN"]
