"""The capture file: records, writing, reading, verifying, recovering and notes."""
