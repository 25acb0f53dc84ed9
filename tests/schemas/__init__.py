"""The shapes of the schemas that other people's servers have, and what the forms make of each."""
