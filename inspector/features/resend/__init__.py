"""Sending again what a capture's client sent, to a server that is there now."""
