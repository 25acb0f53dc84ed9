"""The command is `bash -lc …`, and the person's profile greets on stdout before the server is run."""
# expects: shell-profile-output
# command: /bin/bash --rcfile /dev/null -lc "echo 'Now using node v20.20.2 (npm v10.8.2)'; exec {python} {file}"

from tests.servers.speaking import TOOL, serve

serve({"tools/list": {"tools": [TOOL]}})
