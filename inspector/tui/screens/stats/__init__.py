"""The Statistics screen."""
