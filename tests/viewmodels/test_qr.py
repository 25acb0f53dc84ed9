"""An address for a camera."""

import io

from inspector.viewmodels.qr import qr_lines, too_small


def test_it_is_square_but_for_two_rows_in_a_line_and_has_its_margin() -> None:
    lines = qr_lines("https://as.example/authorize?client_id=us")
    width = len(lines[0])
    assert {len(line) for line in lines} == {width}
    assert len(lines) == (width + 1) // 2
    assert lines[0].strip() == ""
    assert set("".join(lines)) == set(" ▀▄█")


def test_it_is_the_code_that_the_standard_draws() -> None:
    import segno

    url = "https://as.example/authorize?client_id=us"
    drawn = io.StringIO()
    segno.make(url, error="l", micro=False, boost_error=False).save(drawn, kind="txt", border=2)
    rows = drawn.getvalue().split()
    upper = "".join("1" if char in "▀█" else "0" for char in qr_lines(url)[3])
    lower = "".join("1" if char in "▄█" else "0" for char in qr_lines(url)[3])
    assert (upper, lower) == (rows[6], rows[7])


def test_what_does_not_fit_says_how_large_it_is() -> None:
    lines = qr_lines("https://as.example/" + "x" * 400)
    assert too_small(lines, 200, 100) == ""
    assert f"takes {len(lines[0])} × {len(lines)} cells" in too_small(lines, 80, 24)
    assert "too long" in too_small(qr_lines("x" * 5000), 500, 500)
