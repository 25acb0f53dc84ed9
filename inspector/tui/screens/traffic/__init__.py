"""Traffic: every message, its detail, filters, timeline and waterfall."""
