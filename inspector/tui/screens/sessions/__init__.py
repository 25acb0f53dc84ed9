"""Sessions: the recorded captures, and comparing two of them."""
