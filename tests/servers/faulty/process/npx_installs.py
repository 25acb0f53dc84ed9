"""The first start of the day: npx downloads 300 packages, and the host gives up before the server runs."""
# expects: package-still-installing
# exit: 7
# command: npx -y @acme/weather-mcp@latest
# path: bin
# options: --timeout 2.5
