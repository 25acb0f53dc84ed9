"""What to do next, as generators: they yield steps and are sent the outcomes. A driver does the rest."""
