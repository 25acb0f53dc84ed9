"""Client compatibility: how clients treat tool definitions, as dated facts with sources."""
