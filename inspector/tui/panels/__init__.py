"""What fills a screen's half: each asks view-models and posts what the person wants."""
