"""Entry storage at scale: columns in memory, payloads on disk, an index, and earlier states."""
