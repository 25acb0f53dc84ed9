"""What each panel shows, as plain data. Reads the journal and the conversation; never acts, never draws."""
