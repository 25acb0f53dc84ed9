"""The server's stderr during a request."""

from inspector.present.server_log import exception_in, telling_lines


def test_the_lines_of_stderr_have_the_first_exception_and_the_end() -> None:
    passed_on = ["Traceback:", '  File "server.py", line 5, in forecast', "    return 1 / 0", "           ~~^~~"]
    passed_on += ["ZeroDivisionError: division by zero", "", "The above exception was the direct cause:"]
    passed_on += [f"  File library{n}" for n in range(20)] + ["mcp.ToolError: Error executing tool forecast"]
    assert telling_lines(passed_on) == [*passed_on[1:5], *passed_on[-2:]]
    assert telling_lines(passed_on[:5]) == passed_on[:5]
    assert telling_lines([str(n) for n in range(20)]) == ["14", "15", "16", "17", "18", "19"]


def test_the_exception_of_a_trace_is_its_last_line_that_names_one() -> None:
    assert (
        exception_in(["about to crash", "Traceback:", "    raise KeyError", "KeyError: 'boom'", ""])
        == "KeyError: 'boom'"
    )
    assert exception_in(["going down ", ""]) == "going down"
    assert exception_in([]) == ""
