"""The same in node's words."""
# expects: file-not-found
# exit: 4

import sys

sys.exit(
    "node:fs:573\n  return binding.open(\n\nError: ENOENT: no such file or directory, open './config/stations.json'\n"
    "    at Object.openSync (node:fs:573:18) {\n  errno: -2,\n  code: 'ENOENT',\n  syscall: 'open'\n}"
)
