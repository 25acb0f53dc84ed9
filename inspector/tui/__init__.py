"""Terminal interface; the only package that uses Textual."""
