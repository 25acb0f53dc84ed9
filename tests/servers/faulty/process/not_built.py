"""Cloned, installed, never built: there is no dist folder, and node says so."""
# expects: P-04
# exit: 4
# command: node {here}/dist/index.js
