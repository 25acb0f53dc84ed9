"""Client compatibility: what programs do with tool definitions, as dated facts with sources."""
