"""“Connection closed”: the configuration starts the system's Python, the packages are in a virtual environment."""
# expects: exit-during-handshake
# exit: 4

import weather_api_client  # type: ignore[import-not-found]

weather_api_client.serve()
