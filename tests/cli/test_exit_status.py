"""The exit codes: stable, documented, one for each error."""

import pytest

from inspector import errors
from inspector.cli.exit_status import MEANINGS, ExitStatus, code_of, status_of


def test_the_codes_are_those_that_scripts_rely_on() -> None:
    assert {status.name: int(status) for status in ExitStatus} == {
        "OK": 0,
        "FINDINGS": 1,
        "USAGE": 2,
        "AUTHORIZATION": 3,
        "UNREACHABLE": 4,
        "TOOL_ERROR": 5,
        "PROTOCOL": 6,
        "TIMEOUT": 7,
        "CAPTURE": 8,
        "MISTAKE": 70,
        "INTERRUPTED": 130,
        "BROKEN_PIPE": 141,
    }


def test_every_code_is_documented() -> None:
    assert set(MEANINGS) == set(ExitStatus)


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        (errors.UsageError, ExitStatus.USAGE, "usage_error"),
        (errors.CaptureError, ExitStatus.USAGE, "capture_error"),
        (errors.AuthorizationNeeded, ExitStatus.AUTHORIZATION, "authorization_needed"),
        (errors.ConnectError, ExitStatus.UNREACHABLE, "connect_error"),
        (errors.Disconnected, ExitStatus.UNREACHABLE, "disconnected"),
        (errors.RequestFailed, ExitStatus.UNREACHABLE, "request_failed"),
        (errors.RequestTimeout, ExitStatus.TIMEOUT, "request_timeout"),
        (errors.RequestCancelled, ExitStatus.INTERRUPTED, "request_cancelled"),
        (errors.RemoteProtocolError, ExitStatus.PROTOCOL, "remote_protocol_error"),
    ],
)
def test_every_error_has_its_status_and_its_name(kind: type[errors.InspectError], status: int, code: str) -> None:
    assert (status_of(kind("x")), code_of(kind("x"))) == (status, code)
