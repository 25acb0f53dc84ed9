"""Authorization: discovery, registration, tokens and stored logins (OAuth 2.1)."""
