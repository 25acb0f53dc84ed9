"""What servers offer as values that can be kept, and what is different between two of them."""
