"""What other programs recorded, made a capture. One file a format; each says how it is known and what it has lost."""
