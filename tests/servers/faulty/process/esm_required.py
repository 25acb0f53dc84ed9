"""A dependency became an ES module; the server's bundle still requires it."""
# expects: exit-during-handshake
# exit: 4

import sys

sys.stderr.write("node:internal/modules/cjs/loader:1327\n      throw err;\n\n")
sys.stderr.write("Error [ERR_REQUIRE_ESM]: require() of ES Module /app/node_modules/chalk/index.js not supported.\n")
sys.stderr.write("    at Module._load (node:internal/modules/cjs/loader:1104:12)\n\nNode.js v18.12.0\n")
sys.exit(1)
