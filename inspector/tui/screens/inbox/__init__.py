"""Server requests: elicitation, sampling and roots, and the responses to them."""
