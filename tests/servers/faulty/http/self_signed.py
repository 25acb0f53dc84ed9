"""https in the company's network, with a certificate that the server signed itself."""
# expects: certificate-untrusted
# exit: 4
# url: https://localhost:{port}/mcp

import ssl
import subprocess
import tempfile
from pathlib import Path

from tests.servers.http_fixtures import always, json_answer

answer = always(json_answer())


def tls() -> ssl.SSLContext:
    """A context with a fresh certificate."""
    with tempfile.TemporaryDirectory() as place:
        key, certificate = Path(place, "key.pem"), Path(place, "certificate.pem")
        words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
        subprocess.run(
            ["openssl", *words.split(), "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
    return context
