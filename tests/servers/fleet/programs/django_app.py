"""django-mcp-server: `PYTHON django_app.py PORT`."""

# mypy: ignore-errors

import sys

import django
from django.conf import settings

settings.configure(
    DEBUG=True,
    SECRET_KEY="none",
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework", "mcp_server"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    SESSION_ENGINE="django.contrib.sessions.backends.file",
)
django.setup()
from django.urls import include, path  # noqa: E402
from mcp_server import mcp_server  # noqa: E402


@mcp_server.tool()
def add(a: float, b: float = 1) -> float:
    """Add two numbers."""
    return a + b


urlpatterns = [path("", include("mcp_server.urls"))]
if __name__ == "__main__":
    sys.modules[settings.ROOT_URLCONF] = sys.modules["__main__"]
    from django.core.management import call_command

    call_command("runserver", f"127.0.0.1:{sys.argv[1]}", "--noreload", "--skip-checks")
