"""What the conversation remembers: one question a file, each fed by events, none knowing the others."""
