"""Protocol flows as generators: they yield steps and receive the outcomes. A driver performs the steps."""
