"""Features of server definitions: schemas, names, texts. Pure and bounded."""
