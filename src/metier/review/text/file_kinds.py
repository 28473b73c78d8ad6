"""What each file of a package is: text to be read, media to be left alone, an archive, or a program."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from metier.review.text.views import ReviewedText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.skills.package import Package

SMALL = 4 * 1024 * 1024
"""Bytes of a text that is remembered for a while."""
Kind = Literal["text", "media", "program", "archive"]
_PROGRAMS = (
    b"\x7fELF",
    b"MZ",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\0asm",
    b"dex\n",
)
_PROGRAM_ENDS = tuple(
    """.pyc .pyo .pyd .so .dylib .dll .exe .class .o .a .node .scr .msi .jar .apk .wasm .bin .elf""".split()  # noqa: SIM905
)
_ARCHIVES = (
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ",
    b"7z\xbc\xaf",
    b"Rar!",
    b"\x28\xb5\x2f\xfd",
)
_ARCHIVE_ENDS = tuple(
    """.zip .tar .tgz .gz .bz2 .xz .7z .rar .zst .whl .dmg .pkg .iso .cab .deb .rpm""".split()  # noqa: SIM905
)
_MEDIA_ENDS = tuple(
    """.png .jpg .jpeg .gif .webp .ico .bmp .tiff .avif .mp3 .wav .ogg .mp4 .mov .webm .m4a .ttf .otf .woff .woff2
    .eot .pdf .docx .pptx .xlsx .odt .ods .odp .potx .dotx .xltx .sqlite .db .parquet .npy .npz .onnx
    .safetensors .pt .pkl .pickle .icns .psd .glb""".split()  # noqa: SIM905
)
_MEDIA = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"RIFF",
    b"%PDF",
    b"OggS",
    b"ID3",
    b"\0\0\0",
    b"wOFF",
    b"wOF2",
    b"\0\x01\0\0",
    b"OTTO",
    b"SQLite",
    b"PAR1",
    b"PK\x03\x04",
    b"\0\0\1\0",
    b"BM",
    b"II*",
    b"MM\0*",
    b"\x93NUMPY",
)
_SCRIPT_ENDS = tuple(
    """.py .sh .bash .zsh .fish .js .mjs .cjs .ts .mts .cts .jsx .tsx .rb .pl .php .ps1 .psm1 .bat .cmd .vbs .lua
    .go .rs .java .kt .swift .c .cpp .cs .applescript .scpt .r .command .mk .tcl .awk .nu""".split()  # noqa: SIM905
)
_SCRIPT_NAMES = tuple(
    """makefile dockerfile justfile rakefile gemfile setup install postinstall preinstall""".split()  # noqa: SIM905
)


def kind_of(path: str, content: bytes) -> Kind:
    """What a file is, by what it begins with and how it is called; in doubt it is text, and is read."""
    name = path.lower()
    if (content.startswith(_PROGRAMS) and not name.endswith(_MEDIA_ENDS)) or name.endswith(_PROGRAM_ENDS):
        return (
            "program"
            if b"\0" in content[:65536] or content.startswith(_PROGRAMS) or name.endswith((".pyc", ".pyo"))
            else "text"
        )
    if name.endswith(_MEDIA_ENDS) and content.startswith(_MEDIA):
        return "media"
    if content.startswith(_ARCHIVES) or name.endswith(_ARCHIVE_ENDS) or content[257:262] == b"ustar":
        return "archive"
    return "text"


def is_script(path: str, content: bytes) -> bool:
    """Whether a text is a program: by its ending, its name or its first line."""
    name = path.lower().rsplit("/", 1)[-1]
    return name.endswith(_SCRIPT_ENDS) or name in _SCRIPT_NAMES or content.startswith(b"#!")


def text_of(content: bytes) -> str:
    """The bytes as text, whatever their encoding; NUL bytes, which shells skip, are left out."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace").replace("\0", "")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = (
            content.decode("utf-8", "replace")
            if content.count(b"\0") < len(content) // 3
            else content.decode("latin-1")
        )
    return text.replace("\0", "").removeprefix("\ufeff")


def source_of(path: str, content: bytes, about: str = "") -> ReviewedText:
    """A text file, ready to be looked at; `about` is the document of its package."""
    return ReviewedText(path, text_of(content), script=is_script(path, content), about=about)


def sources(package: Package) -> Iterator[ReviewedText]:
    """All texts of a package, the document first; those of a small one are remembered, as every layer asks for them."""
    document = package.skill_file
    about = text_of(package.document)
    for path in sorted(package.files, key=lambda one: (one != document, one)):
        content = package.files[path]
        if kind_of(path, content) == "text" or path == document:
            yield _remembered(path, content, about) if len(content) <= SMALL else source_of(path, content, about)


@lru_cache(maxsize=8)
def _remembered(path: str, content: bytes, about: str) -> ReviewedText:
    return source_of(path, content, about)


def forget_texts() -> None:
    """Make the next review begin anew, for who measures what it costs."""
    _remembered.cache_clear()
