"""Test calls of tools with valid and invalid arguments that are generated from their schemas."""
