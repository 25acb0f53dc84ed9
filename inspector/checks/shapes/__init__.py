"""The shape of every message that a server sends, a column per revision, as data and as the judge that reads it."""
