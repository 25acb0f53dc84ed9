"""-it was copied from a page about shells: there is no terminal, and docker refuses."""
# expects: docker-flags
# exit: 4
# command: docker run -it --rm acme/weather
# path: bin
