"""The three carriages over HTTP, on one httpx client."""
