"""A request as a curl command: it can be given away, and a shell runs it."""

import shlex
import subprocess

import pytest

from inspector.present.http import VARIABLE_PREFIX, as_curl, http_sections, is_secret, masked_url, masked_value
from inspector.present.spans import plain, section_lines
from inspector.protocol.credentials import MASK
from inspector.protocol.facts import Headers, HttpEvent, HttpFact
from tests.present.tape import Tape


def request(*headers: tuple[str, str], method: str = "POST", target: str = "https://h/mcp") -> HttpFact:
    given: Headers = headers
    return HttpFact(HttpEvent.REQUEST, 1, method=method, target=target, headers=given)


def words(command: str, **variables: str) -> list[str]:
    """What a shell makes of it."""
    script = command.replace("curl", "printf '%s\\n'", 1)
    ran = subprocess.run(["/bin/sh", "-c", script], env=variables, capture_output=True, check=True)
    return ran.stdout.decode().splitlines()


def test_method_address_headers_and_body_go_along() -> None:
    command = as_curl(request(("Accept", "application/json"), ("Mcp-Method", "tools/list")), b'{"id":1}')
    assert words(command) == [
        *("-sS", "-N", "-X", "POST", "https://h/mcp"),
        *("-H", "Accept: application/json", "-H", "Mcp-Method: tools/list", "--data-raw", '{"id":1}'),
    ]


def test_curl_decodes_what_the_request_let_the_server_compress() -> None:
    assert words(as_curl(request(("Accept-Encoding", "gzip, deflate"))))[5:] == ["--compressed"]


@pytest.mark.parametrize("name", ["Host", "content-length", "Connection", "Transfer-Encoding"])
def test_curl_omits_headers_that_curl_adds(name: str) -> None:
    assert name not in as_curl(request((name, "x")))


def test_secrets_are_variables_that_keep_their_scheme() -> None:
    command = as_curl(request(("Authorization", "Bearer abc"), ("Mcp-Session-Id", "s-1"), ("X-Api-Key", "k")))
    assert not any(secret in command for secret in ("abc", "s-1", ": k"))
    variables = {"AUTHORIZATION": "mine", "MCP_SESSION_ID": "two words", "X_API_KEY": "$x"}
    shown = words(command, **{VARIABLE_PREFIX + name: value for name, value in variables.items()})
    assert shown[5:] == ["-H", "Authorization: Bearer mine", "-H", "Mcp-Session-Id: two words", "-H", "X-Api-Key: $x"]


def test_secrets_in_the_address_are_variables_too() -> None:
    command = as_curl(request(method="GET", target="https://me:pass@h/mcp?a=1&access_token=abc&b=2#f"))
    assert "abc" not in command
    assert "pass" not in command
    assert (
        words(command, MCP_SECRET_USERINFO="u:p", MCP_SECRET_ACCESS_TOKEN="t")[4]
        == "https://u:p@h/mcp?a=1&access_token=t&b=2#f"
    )


@pytest.mark.parametrize("hostile", ["'; touch /tmp/x; '", "$(id)", "`id`", '"', "a\\b", "--data @/etc/passwd"])
def test_nothing_in_a_request_is_taken_for_a_command(hostile: str) -> None:
    command = as_curl(request(("X-Odd", hostile), target=f"https://h/{hostile}"), hostile.encode())
    shown = words(command)
    assert shown[4] == f"https://h/{hostile}"
    assert shown[6] == f"X-Odd: {hostile}"
    assert shown[8] == hostile


def test_a_name_of_a_secret_becomes_a_name_that_a_shell_takes() -> None:
    assert '"$MCP_SECRET_2_TOKEN"' in as_curl(request(("2-token;id", "x"))).replace("_ID", "")


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "github-token", "Mcp-Param-Github-Token", "AWS-SECRET-ACCESS-KEY"])
def test_a_name_that_a_server_chose_never_reads_a_variable_of_the_persons_own(name: str) -> None:
    own = {
        "GITHUB_TOKEN": "mine",
        "AWS_SECRET_ACCESS_KEY": "mine",
        "MCP_PARAM_GITHUB_TOKEN": "mine",
        "USERINFO": "mine",
    }
    command = as_curl(request((name, "abc"), target=f"https://u:p@h/?{name}=abc"))
    assert "mine" not in " ".join(words(command, **own))
    assert "abc" not in command


def test_a_target_that_looks_like_an_option_and_a_header_that_names_a_file_are_data() -> None:
    command = as_curl(request(("@/etc/passwd", "x"), ("@token", "abc"), ("X-At", "@/etc/passwd")), b"@/etc/passwd")
    shown = words(command)
    assert shown[5:] == ["-H", "X-At: @/etc/passwd", "--data-raw", "@/etc/passwd"]
    assert words(as_curl(request(target="-o/tmp/x")))[4:] == ["--url", "-o/tmp/x"]
    assert words(as_curl(request(target="https://h/{a,b}[1-9]")))[4:] == ["-g", "https://h/{a,b}[1-9]"]


def test_a_body_that_is_no_text_is_read_from_a_file() -> None:
    assert as_curl(request(), b"\xff\x00").endswith("--data-binary @body.bin")


def test_an_empty_header_is_sent_empty() -> None:
    assert shlex.split(as_curl(request(("X-None", ""))))[-1] == "X-None;"


def test_a_request_without_a_body_has_no_data() -> None:
    assert "--data" not in as_curl(request(method="DELETE"))


def test_curl_with_reveal_has_secrets_on_one_line() -> None:
    asked = request(("Authorization", "Bearer abc"), target="https://h/?token=t")
    command = as_curl(asked, b"{}", reveal=True, one_line=True)
    assert "\n" not in command
    assert words(command)[4:] == ["https://h/?token=t", "-H", "Authorization: Bearer abc", "--data-raw", "{}"]


def _read(tape: Tape, http: int | None, *, reveal: bool = False) -> list[str]:
    sections = http_sections(tape.journal, http, reveal=reveal)
    return [plain(line).rstrip() for section in sections for line in section_lines(section)]


def test_http_section_has_request_response_and_end_masked(http_tape: Tape) -> None:
    http_tape.posted(3, status=200, headers=(("mcp-session-id", "abcdef"), ("Set-Cookie", "a=b"), ("X-A", "1\x1b")))
    http_tape.wait(50).fact(HttpFact(HttpEvent.END, 3, body_bytes=12, why="cut"))
    assert _read(http_tape, 3) == [
        "POST https://example.test/mcp",
        "  Content-Type   application/json",
        "  Authorization  Bearer •••••• (12 characters)",
        "200",
        "  after 0 µs",
        "  mcp-session-id  •••••• (6 characters)",
        "  Set-Cookie      •••••• (3 characters)",
        "  X-A             1␛",
        "End",
        "  body  12 bytes",
        "  why   cut",
        "  took  50 ms",
    ]


def test_http_section_with_reveal_shows_secrets(http_tape: Tape) -> None:
    http_tape.posted(1)
    assert "  Authorization  Bearer s3cr3t-t0ken" in _read(http_tape, 1, reveal=True)


def test_without_http_there_is_nothing(tape: Tape) -> None:
    assert _read(tape, None) == []
    assert _read(tape, 9) == []


def test_an_exchange_that_only_failed_has_an_end(http_tape: Tape) -> None:
    http_tape.fact(HttpFact(HttpEvent.ERROR, 5, why="rejected"))
    assert _read(http_tape, 5) == ["End", "  why  rejected"]


@pytest.mark.parametrize(
    "name",
    [
        *("Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-API-Key", "x-auth-token", "DB_PASSWORD"),
        *("Ocp-Apim-Subscription-Key", "X-Functions-Key", "X-Auth", "AWS_ACCESS_KEY_ID", "DB_PASS", "Mcp-Session-Id"),
    ],
)
def test_names_that_give_access_are_secret(name: str) -> None:
    assert is_secret(name)
    assert "abc123" not in masked_value(name, "abc123")


@pytest.mark.parametrize("name", ["Content-Type", "Accept", "Mcp-Method", "Host", "X-Author", "Keyboard"])
def test_other_values_are_shown_as_they_are(name: str) -> None:
    assert masked_value(name, "application/json") == "application/json"


def test_masked_value_keeps_scheme_and_length() -> None:
    assert masked_value("Authorization", "Bearer abcdef") == f"Bearer {MASK} (6 characters)"
    assert masked_value("Authorization", "abcdef") == f"{MASK} (6 characters)"
    assert masked_value("Authorization", "") == "(empty)"


def test_a_value_that_is_shown_cannot_act() -> None:
    assert masked_value("Server", "x\x1b[31m") == "x␛[31m"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:pass@host/mcp", f"https://{MASK}@host/mcp"),
        ("https://host/mcp?token=abc&x=1", f"https://host/mcp?token={MASK}&x=1"),
        ("https://host/cb?state=1&code=abc#f", f"https://host/cb?state=1&code={MASK}#f"),
        ("https://host/mcp?api_key=abc", f"https://host/mcp?api_key={MASK}"),
        ("https://host/mcp?key=abc&monkey=1", f"https://host/mcp?key={MASK}&monkey=1"),
        ("/cb?session_key=abc", f"/cb?session_key={MASK}"),
        ("https://host/a\x1bb", "https://host/a␛b"),
        ("https://host/mail@x", "https://host/mail@x"),
    ],
)
def test_a_url_keeps_all_but_what_gives_access(url: str, shown: str) -> None:
    assert masked_url(url) == shown
    assert masked_value("Location", url) == shown


def test_an_endless_url_is_cut() -> None:
    assert len(masked_url("https://host/?" + "token" * 100_000)) < 2100
