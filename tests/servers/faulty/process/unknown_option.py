"""The option that the instructions name was renamed in the newest release."""
# expects: exit-during-handshake
# exit: 4
# command: {python} {file} --stdio

import argparse

parser = argparse.ArgumentParser(prog="weather-mcp")
parser.add_argument("--transport", choices=["stdio", "http"])
parser.parse_args()
