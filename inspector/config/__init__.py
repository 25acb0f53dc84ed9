"""Which servers, which settings, where files belong."""
