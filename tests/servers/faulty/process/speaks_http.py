"""Started without --stdio the server opens a port instead, says so on stderr, and never reads stdin."""
# expects: stdin-not-read
# exit: 7
# options: --timeout 2.5

import sys
import time

sys.stderr.write("INFO:     Started server process [4711]\nINFO:     Application startup complete.\n")
sys.stderr.write("INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)\n")
time.sleep(60)
