"""The capture file format: records, writing, reading, verification, recovery and notes."""
