"""A letter is wrong in the path: the web server says 404, with a page of its own."""
# expects: html-response
# exit: 4
# url: /mpc

from inspector.transports.http.listener import HttpResponse
from tests.servers.http_fixtures import always

PAGE = b"<html><head><title>404 Not Found</title></head><body><center>nginx/1.27.0</center></body></html>"
answer = always(HttpResponse(404, (("Content-Type", "text/html"),), PAGE))
