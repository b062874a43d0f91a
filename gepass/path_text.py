r"""
Paths as text that can always be written and always be turned back.

A file name on Linux is any bytes. In documents and messages a path is its
``os.fsencode`` bytes with ``\`` doubled and each byte that is not UTF-8 as ``\xHH``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

from pydantic import InstanceOf, PlainSerializer

__all__ = [
    "PathText",
    "RawText",
    "decode_path",
    "encode_path",
    "printable",
    "quote",
    "writable",
]

_ESCAPE = re.compile(rb"\\(\\|x[0-9a-f]{2})")
_UNPRINTABLE = re.compile(r"[^\S ]|[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


def encode_path(path: str | os.PathLike[str]) -> str:
    """
    Write a path as text that is valid UTF-8 whatever bytes the name holds.

    Returns:
        The text; ``decode_path`` gives the path back.

    """
    text = os.fspath(path)
    if text.isascii() and "\\" not in text:
        return text
    raw = os.fsencode(text)
    return raw.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def decode_path(text: str) -> Path:
    r"""Turn the text of ``encode_path`` back into the path."""

    def unescape(match: re.Match[bytes]) -> bytes:
        body = match[1]
        return body if body == b"\\" else bytes([int(body[1:], 16)])

    return Path(os.fsdecode(_ESCAPE.sub(unescape, text.encode("utf-8"))))


def printable(text: str) -> str:
    """Escape control characters, line ends and surrogates, so that text stays a line."""
    return _UNPRINTABLE.sub(lambda match: ascii(match[0])[1:-1], text)


def writable(text: str) -> str:
    """Escape lone surrogates, so that text can be written as UTF-8; lines stay lines."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def quote(path: str | os.PathLike[str]) -> str:
    """Show a path, or a piece of the variable, in a message: one line, in quotes."""
    return f"'{printable(_encode_any(os.fspath(path)))}'"


def _encode_any(text: str) -> str:
    try:
        return encode_path(text)
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte
        return writable(text.replace("\\", "\\\\"))


PathText = Annotated[Path, PlainSerializer(encode_path, return_type=str, when_used="json")]
"""A path field of a document or event, written by ``encode_path``."""

RawText = Annotated[InstanceOf[str], PlainSerializer(_encode_any, return_type=str)]
"""Text as the user gave it: a path or several, which pydantic's plain str refuses."""
