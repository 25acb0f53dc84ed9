"""The terminal interface: Textual, and nowhere else."""
