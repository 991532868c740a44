"""Frames: lengths that can be, at any fragmentation, and lengths that cannot."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalmuti.protocol.errors import ByeReason, LocalProtocolError, RemoteProtocolError
from dalmuti.protocol.framing import FrameBuffer, frame


def drain(buffer: FrameBuffer) -> list[bytes]:
    found = []
    while (body := buffer.next()) is not None:
        found.append(body)
    return found


def test_a_frame_is_its_length_and_its_body() -> None:
    assert frame(b"\x81\xa1t\xa4ping") == bytes.fromhex("00000008 81a174a470696e67")


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=6), st.data())
def test_any_fragmentation_gives_the_same_bodies(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(frame, bodies))
    buffer, found = FrameBuffer(50), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        buffer.feed(stream[:size])
        stream = stream[size:]
        found += drain(buffer)
    assert found == bodies
    assert len(buffer) == 0


def test_byte_by_byte_equals_all_at_once() -> None:
    bodies = [b"a", b"bc" * 20, b"d" * 64]
    stream = b"".join(map(frame, bodies))
    slow, fast = FrameBuffer(64), FrameBuffer(64)
    found = []
    for byte in stream:
        slow.feed(bytes([byte]))
        found += drain(slow)
    fast.feed(stream)
    assert found == drain(fast) == bodies


@pytest.mark.parametrize("length", [0, 101, 2**31, 2**32 - 1])
def test_an_impossible_length_is_refused_as_soon_as_it_is_there(length: int) -> None:
    buffer = FrameBuffer(100)
    header = length.to_bytes(4, "big")
    buffer.feed(header[:3])
    assert buffer.next() is None
    buffer.feed(header[3:])
    for _ in range(2):
        with pytest.raises(
            RemoteProtocolError, match=f"1 to 100 bytes, found one of {length}"
        ) as e:
            buffer.next()
        assert e.value.reason is ByeReason.BAD_FRAME


def test_the_limit_itself_is_allowed_and_may_change_between_frames() -> None:
    buffer = FrameBuffer(3)
    buffer.feed(frame(b"abc") + frame(b"abcd"))
    assert buffer.next() == b"abc"
    with pytest.raises(RemoteProtocolError):
        buffer.next()
    buffer.limit = 4
    assert buffer.next() == b"abcd"


@pytest.mark.parametrize("body", [b"", b"abcde"])
def test_we_send_no_frame_that_would_be_refused(body: bytes) -> None:
    with pytest.raises(LocalProtocolError, match="1 to 4 bytes"):
        frame(body, 4)


def test_a_slow_drip_takes_linear_time() -> None:
    def drip(size: int) -> float:
        buffer, stream = FrameBuffer(size), frame(bytes(size), size)
        begin = time.process_time()
        for start in range(0, len(stream), 16):
            buffer.feed(stream[start : start + 16])
            buffer.next()
        return time.process_time() - begin

    small, large = (min(drip(size) for _ in range(3)) for size in (100_000, 800_000))
    assert large < 30 * small  # 8 times the bytes; quadratic would be 64 times the work
