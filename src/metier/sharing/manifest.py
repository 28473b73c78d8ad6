"""What a server offers: approved lessons and versions by their hashes, signed with its key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.errors import ConfigError, RefusedError
from metier.formats.value_json import dumps, loads
from metier.types import StoredFile  # noqa: TC001 - read by these types
from metier.types.lessons import LessonScope  # noqa: TC001

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SIGNED = b"metier sync 1\n"
"""What stands before every manifest that is signed, so that a signature means nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedSkill:
    """A version of a skill that others may have."""

    name: str
    hash: str
    """Of the whole package."""
    scope: LessonScope
    files: tuple[StoredFile, ...]
    version: int = 0
    approver: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedLesson:
    """An approved lesson that others may have; its words are the object with this hash."""

    id: str
    hash: str
    scope: LessonScope


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferManifest:
    """Everything that a server offers at one moment."""

    number: int
    """Grows with every decision on the server: an older manifest is not believed."""
    skills: tuple[OfferedSkill, ...] = ()
    lessons: tuple[OfferedLesson, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedManifest:
    """A manifest as it travels."""

    manifest: str
    signature: str
    key: str
    """The server's public key; believed only if it is the pinned one."""


def sign_manifest(secret: bytes, manifest: OfferManifest) -> SignedManifest:
    """A manifest under a server's key."""
    key, text = _private_key(secret), dumps(manifest)
    signature = key.sign(SIGNED + text.encode())
    return SignedManifest(manifest=text, signature=signature.hex(), key=public_key(secret))


def public_key(secret: bytes) -> str:
    """The public key of a server, in hexadecimal digits."""
    return _private_key(secret).public_key().public_bytes_raw().hex()


def parse_signed(raw: bytes) -> SignedManifest:
    """A signed manifest from the network; nothing in it is believed yet."""
    try:
        return loads(SignedManifest, raw.decode())
    except ValueError:
        raise RefusedError(
            "The server's answer is no signed manifest. Is it a Metier server of this version?"
        ) from None


def verified_manifest(signed: SignedManifest, pinned: str) -> OfferManifest:
    """The manifest, if the pinned key signed exactly it."""
    if signed.key != pinned:
        raise RefusedError(
            f"The server's key changed: {signed.key[:16]}… is not the pinned {pinned[:16]}…. Nothing was taken. If its "
            "administrator says that this is right, join again: metier sync join URL"
        )
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise ConfigError(MISSING) from None
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(pinned))
        key.verify(bytes.fromhex(signed.signature), SIGNED + signed.manifest.encode())
        return loads(OfferManifest, signed.manifest)
    except (InvalidSignature, ValueError):
        raise RefusedError("What the server sent does not bear its signature. Nothing was taken.") from None


MISSING = "Signatures need one more package: pip install 'metier[server]'."


def _private_key(secret: bytes) -> Ed25519PrivateKey:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey as Key
    except ImportError:
        raise ConfigError(MISSING) from None
    return Key.from_private_bytes(secret)
