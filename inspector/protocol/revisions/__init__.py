"""The table of protocol revisions. Nothing outside this package names a revision."""
