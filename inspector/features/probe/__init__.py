"""Calls of tools with valid and invalid arguments, made from their schemas."""
