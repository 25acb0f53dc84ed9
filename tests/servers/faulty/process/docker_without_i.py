"""“docker run acme/weather” works in a terminal; started by a host it ends at once, because it gets no stdin."""
# expects: docker-flags
# exit: 4
# command: docker run --rm acme/weather
# path: bin
