"""Bodies that came packed: piece by piece, in bounded steps."""

import gzip
import zlib

import pytest

from inspector.transports.http.packing import PIECE, BadPacking, is_unpacked, unpacker

TEXT = bytes(range(256)) * 40


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("X-GZip", gzip.compress(TEXT)),
        ("identity, gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", _raw_deflate(TEXT)),
        ("identity", TEXT),
        ("", TEXT),
        ("br", TEXT),
    ],
    ids=["gzip", "x-gzip", "identity-gzip", "zlib", "raw-deflate", "identity", "none", "unknown"],
)
@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_what_was_packed_comes_out_however_it_was_cut(encoding: str, packed: bytes, step: int) -> None:
    unpack = unpacker(encoding)
    cuts = [packed[at : at + step] for at in range(0, len(packed), step)]
    assert b"".join(piece for cut in cuts for piece in unpack(cut)) == TEXT


def test_a_bomb_comes_in_pieces_and_no_more_of_them_than_are_asked_for() -> None:
    pieces = unpacker("gzip")(gzip.compress(b"\0" * (20 * PIECE)))
    assert [len(next(pieces)) for _ in range(3)] == [PIECE] * 3


def test_a_body_packed_twice_is_left_as_it_is() -> None:
    twice = gzip.compress(gzip.compress(TEXT))
    assert list(unpacker("gzip, gzip")(twice)) == [twice]
    assert not is_unpacked("gzip, gzip")
    assert is_unpacked("identity, gzip")


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_what_only_claims_to_be_packed_is_an_error(encoding: str) -> None:
    with pytest.raises(BadPacking):
        list(unpacker(encoding)(b'{"jsonrpc":"2.0"}'))


def test_damage_in_the_middle_is_an_error_after_what_came_before_it() -> None:
    packer = zlib.compressobj(wbits=31)
    whole = packer.compress(TEXT) + packer.flush(zlib.Z_SYNC_FLUSH)
    unpack = unpacker("gzip")
    assert b"".join(unpack(whole)) == TEXT
    with pytest.raises(BadPacking):
        list(unpack(b"\xff" * 20))
