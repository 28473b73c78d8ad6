"""A skill package: a folder of files as one value with one hash."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.formats.strict_json import clean
from metier.skills.document.frontmatter import Frontmatter, read
from metier.skills.names import check_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_BYTES = 64 * 1024 * 1024
MAX_FILE_BYTES = 16 * 1024 * 1024
SKILL_FILES = ("SKILL.md", "Skill.md", "skill.md")
"""The names the document may have, the first that is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """The files of a skill by POSIX path, and which of them may be executed.

    Paths that could leave the folder or mean two files, and more bytes than a skill may have, raise InputError: every
    package that exists can be written to any disk. What its document says is not looked at here.
    """

    files: Mapping[str, bytes]
    executable: frozenset[str] = field(default_factory=frozenset[str])
    _hash: str = field(default="", init=False, repr=False, compare=False)
    """What `hash` found: nothing it goes over can change."""

    def __post_init__(self) -> None:
        check_paths(self.files)
        for path, content in self.files.items():
            if len(content) > MAX_FILE_BYTES:
                raise InputError(f"{path!r} has {len(content):,} bytes; a file may have {MAX_FILE_BYTES:,}.")
        if (size := sum(map(len, self.files.values()))) > MAX_BYTES:
            raise InputError(f"The package has {size:,} bytes; {MAX_BYTES:,} are allowed.")
        if stray := sorted(self.executable - self.files.keys()):
            raise InputError(f"{stray[0]!r} is marked executable, but is not in the package.")
        object.__setattr__(self, "files", MappingProxyType(dict(self.files)))

    def hash(self) -> str:
        """64 hexadecimal digits that stand for every path, executable bit and byte.

        SHA-256 over the files, sorted by the UTF-8 bytes of their paths; of each: path in UTF-8, NUL, the executable
        bit as `1` or `0`, NUL, the length in bytes as decimal digits, NUL, the bytes.
        """
        if not self._hash:
            object.__setattr__(self, "_hash", self._hashed())
        return self._hash

    def _hashed(self) -> str:
        digest = sha256()
        for path in sorted(self.files, key=str.encode):
            bit = b"1" if path in self.executable else b"0"
            content = self.files[path]
            digest.update(b"%s\0%s\0%d\0" % (path.encode(), bit, len(content)))
            digest.update(content)
        return digest.hexdigest()

    @property
    def skill_file(self) -> str | None:
        """The path of the document; None when the package has none."""
        return next((name for name in SKILL_FILES if name in self.files), None)

    @property
    def document(self) -> bytes:
        """The bytes of the document, none when it is not there."""
        return self.files[self.skill_file] if self.skill_file else b""

    @property
    def frontmatter(self) -> Frontmatter:
        """What the document's frontmatter says, read anew at each call."""
        return read(self.document)

    @property
    def name(self) -> str:
        """The name the document gives itself, empty when it gives none."""
        return self._text("name")

    @property
    def description(self) -> str:
        """What the skill is for and when to use it, empty when the document does not say."""
        return self._text("description")

    @property
    def body(self) -> bytes:
        """The document behind its frontmatter."""
        start, end = self.frontmatter.layout.body
        return self.document[start:end]

    def resolve(self, path: str) -> str | None:
        """The path a file goes by: `SKILL.md` is the document whatever its case; None when it is not there."""
        if path in self.files:
            return path
        return self.skill_file if path in SKILL_FILES else None

    def with_files(self, changed: Mapping[str, bytes]) -> Package:
        """The package with some files put in or changed."""
        return Package(files={**self.files, **changed}, executable=self.executable)

    def without_files(self, paths: Iterable[str]) -> Package:
        """The package with some files taken out."""
        gone = set(paths)
        files = {path: content for path, content in self.files.items() if path not in gone}
        return Package(files=files, executable=self.executable - gone)

    def _text(self, key: str) -> str:
        value = self.frontmatter.get(key)
        return clean(value).strip() if isinstance(value, str) else ""
