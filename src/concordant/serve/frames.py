"""Messages between the server and its workers: a JSON object and blocks of bytes.

The server unpickles nothing that a worker sends, so no message can run code in it.
"""

from __future__ import annotations

import json
import re
import struct
from asyncio import StreamReader
from collections.abc import Iterable
from typing import Any, BinaryIO

from concordant._reading import FIELDS
from concordant.errors import Hint

Message = dict[str, Any]
# The suffix of several files in one block, as `pack` joins them.
SEVERAL = ".files"
_HALF = re.compile("[\ud800-\udfff]")
_SIZES = struct.Struct("<II")


def whole(text: str) -> str:
    r"""Return a text with a question mark for each single surrogate, which UTF-8 cannot encode.

    JSON can hold surrogates, so names of items and keys of requests may hold some.

    Example:
        >>> whole("a\ud800b"), whole("\ud83d\ude00") == "\U0001f600", whole("Zoë")
        ('a?b', True, 'Zoë')
    """
    if not _HALF.search(text):
        return text
    # A pair of surrogates becomes the character that it encodes.
    return _HALF.sub("?", text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"))


def hint_fields(hints: Iterable[Hint]) -> list[dict[str, Any]]:
    """Return the hints that name a field of the page, as JSON holds them.

    Example:
        >>> hint_fields([Hint("names", ("merge",), "to merge them"), Hint("max_bytes")])
        [{'setting': 'names', 'values': ['merge'], 'purpose': 'to merge them'}]
    """
    return [
        {
            "setting": hint.setting,
            "values": [whole(value) for value in hint.values],
            "purpose": whole(hint.purpose),
        }
        for hint in hints
        if hint.setting in FIELDS
    ]


def pack(message: Message, *blocks: bytes) -> bytes:
    """Return a message and its blocks as bytes.

    Example:
        >>> import io
        >>> unpack(io.BytesIO(pack({"task": "read"}, b"1,2", b"")))
        ({'task': 'read'}, [b'1,2', b''])
    """
    head = json.dumps(message, allow_nan=False).encode()
    sizes = struct.pack(f"<{len(blocks)}Q", *map(len, blocks))
    return b"".join((_SIZES.pack(len(head), len(blocks)), sizes, head, *blocks))


def unpack(stream: BinaryIO) -> tuple[Message, list[bytes]] | None:
    """Read the next message from a stream; return None at its end."""
    start = stream.read(_SIZES.size)
    if len(start) < _SIZES.size:
        return None
    size, count = _SIZES.unpack(start)
    lengths = struct.unpack(f"<{count}Q", stream.read(8 * count))
    return json.loads(stream.read(size)), [stream.read(length) for length in lengths]


async def receive(stream: StreamReader) -> tuple[Message, list[bytes]]:
    """Wait for the next message.

    Raises:
        IncompleteReadError: The other process has ended.
    """
    size, count = _SIZES.unpack(await stream.readexactly(_SIZES.size))
    lengths = struct.unpack(f"<{count}Q", await stream.readexactly(8 * count))
    head = await stream.readexactly(size)
    return json.loads(head), [await stream.readexactly(length) for length in lengths]
