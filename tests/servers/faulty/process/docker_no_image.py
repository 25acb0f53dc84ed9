"""The image's name is wrong, or it needs a login: docker ends with 125."""
# expects: exit-during-handshake
# exit: 4
# command: docker run -i --rm acme/no-such-image
# path: bin
