"""Who may ask: OAuth as flows, one document of the standards a file, and a driver that performs their steps."""
