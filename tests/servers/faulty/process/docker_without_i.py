"""“docker run acme/weather” works in a terminal; started by a host it ends at once, because it gets no stdin."""
# expects: P-08
# exit: 4
# command: docker run --rm acme/weather
# path: bin
