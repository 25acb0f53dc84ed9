"""-d: docker prints the container's id on stdout and exits; the server runs without a connection."""
# expects: docker-flags
# exit: 4
# command: docker run -d --rm acme/weather
# path: bin
