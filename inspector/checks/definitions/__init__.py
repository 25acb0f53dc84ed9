"""What there is to see in a server's surface: schemas, names, texts. Pure, bounded; verdicts are made elsewhere."""
