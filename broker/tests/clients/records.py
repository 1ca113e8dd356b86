"""The records of the round trips: 1 KiB each, a function of their number, without line ends. RoundTrip.java makes the same."""
SIZE = 1024
_LETTERS = b'abcdefghijklmnopqrstuvwxyz0123456789-_ABCDEFGHIJKLMNOPQRSTUVWXYZ'


def _body():
    out, state = bytearray(), 12345
    for _ in range(4096):
        state = (state * 1103515245 + 12345) % 2147483648
        out.append(_LETTERS[(state >> 16) % 64])
    return bytes(out)


_BODY = _body()


def record(number):
    """The record of this number."""
    at = number * 37 % 3000
    return b'%016d' % number + _BODY[at:at + SIZE - 16]

