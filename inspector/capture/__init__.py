"""What happened, kept: numbered, dated, on disk, and read back."""
