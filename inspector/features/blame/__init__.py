"""Why a session fails with one client and works with another: the smallest change of what was sent that decides it."""
