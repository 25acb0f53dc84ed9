"""An address as a QR code in half blocks, for a camera: two rows of its squares stand in one line.

The library is loaded when a code is asked for. A code of a long address is large; whoever shows it looks at its size.
"""

_QUIET = 2
"""Squares of margin. The standard wants four; cameras make do with two, and terminals are small."""
_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def qr_lines(url: str) -> tuple[str, ...]:
    """The code, dark squares as blocks: to be shown dark on light, or cameras see its negative.

    Empty for a text that is too long for any code.
    """
    import segno

    try:
        code = segno.make(url, error="l", micro=False, boost_error=False)
    except segno.DataOverflowError:
        return ()
    rows = [[bool(square) for square in row] for row in code.matrix_iter(border=_QUIET)]
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return tuple("".join(_BLOCKS[pair] for pair in zip(upper, lower, strict=True)) for upper, lower in pairs)


def too_small(lines: tuple[str, ...], width: int, height: int) -> str:
    """Why a code does not fit so many cells, a sentence; "" if it does."""
    if not lines:
        return "The address is too long for a QR code."
    if len(lines[0]) > width or len(lines) > height:
        return f"The QR code takes {len(lines[0])} × {len(lines)} cells, and there are {width} × {height}."
    return ""
