"""What to do next, as generators: they yield steps and are sent what came of them. A driver does the rest."""
