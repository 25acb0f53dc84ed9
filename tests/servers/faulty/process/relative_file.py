"""The server reads ./data/stations.json; the host starts it in another directory than the terminal did."""
# expects: file-not-found
# exit: 4

import json

with open("data/stations.json") as stations:
    json.load(stations)
