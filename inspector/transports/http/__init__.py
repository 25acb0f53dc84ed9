"""HTTP transports: three protocol variants on one httpx client."""
