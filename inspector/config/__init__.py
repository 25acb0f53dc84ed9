"""Configuration: servers, settings, and the locations of files."""
