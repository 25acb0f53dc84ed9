"""Export dialog: formats, scope and target file."""
