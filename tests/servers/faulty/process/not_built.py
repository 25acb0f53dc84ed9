"""Cloned, installed, never built: there is no dist folder, and node says so."""
# expects: exit-during-handshake
# exit: 4
# command: node {here}/dist/index.js
