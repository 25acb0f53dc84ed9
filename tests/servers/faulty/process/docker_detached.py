"""-d: docker prints the container's id on stdout and is gone; the server runs where nobody talks to it."""
# expects: docker-flags
# exit: 4
# command: docker run -d --rm acme/weather
# path: bin
