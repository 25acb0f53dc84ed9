"""The flags are right; the image's entrypoint starts the server in the background, with /dev/null as its stdin."""
# expects: stdin-not-read
# exit: 7
# command: docker run -i --rm acme/eats-stdin
# path: bin
# options: --timeout 2.5
