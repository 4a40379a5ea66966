"""Key pairs of those who sign: ed25519, a private key that only its owner can read."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sdcmetrics.errors import FileError, StudyError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

PUBLIC = ".pub"
"""What the file of a public key is called beside that of its private key."""
_OTHERS = 0o077


@dataclass(frozen=True, repr=False)
class PublicKey:
    """A public key, which checks signatures."""

    key: Ed25519PublicKey

    @property
    def name(self) -> str:
        """Digest by which a record names the key that signed it."""
        return hashlib.sha256(self.key.public_bytes_raw()).hexdigest()

    def signed(self, content: bytes, signature: bytes) -> bool:
        """Whether the owner of the private key signed this content."""
        from cryptography.exceptions import InvalidSignature

        try:
            self.key.verify(signature, content)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, repr=False)
class PrivateKey:
    """A private key, which signs."""

    key: Ed25519PrivateKey

    @property
    def public(self) -> PublicKey:
        """The public key of the pair."""
        return PublicKey(self.key.public_key())

    @property
    def secret(self) -> bytes:
        """Bytes that keyed digests follow from."""
        return self.key.private_bytes_raw()

    def sign(self, content: bytes) -> bytes:
        """Return the signature of content."""
        return self.key.sign(content)


def make_keys(file: Path) -> Path:
    """Write a new private key, mode 0600, and its public key beside it; return that file.

    Raises
    ------
    FileError
        If a file of that name is there, or cannot be written.
    StudyError
        If the package cryptography is not installed.
    """
    _need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    path = file.with_name(file.name + PUBLIC)
    if path.exists():
        msg = f"{path}: there is a key already, and it is not overwritten. Choose another name."
        raise FileError(msg)
    _write_new(file, private, 0o600)
    _write_new(path, public, 0o644)
    return path


def _write_new(file: Path, content: bytes, mode: int) -> None:
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
    except FileExistsError:
        msg = f"{file}: there is a key already, and it is not overwritten. Choose another name."
        raise FileError(msg) from None
    except OSError as error:
        msg = f"{file}: the key cannot be written ({error.strerror})."
        raise FileError(msg) from None


def read_private_key(file: Path) -> PrivateKey:
    """Read a private key.

    Raises
    ------
    FileError
        If others than its owner can read it, or it is none.
    StudyError
        If the package cryptography is not installed.
    """
    _need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    content = _read(file)
    if os.name == "posix" and file.stat().st_mode & _OTHERS:
        msg = (
            f"{file}: this private key can be read by others than its owner, so that its signature "
            f"proves nothing. Say chmod 600 {file.name}; if somebody may have read it, make a new "
            "pair with sdcmetrics make-keys."
        )
        raise FileError(msg)
    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError):  # TypeError: it has a password
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        msg = (
            f"{file}: expected a private key (ed25519, PEM, without a password), as sdcmetrics "
            "make-keys writes it."
        )
        raise FileError(msg)
    return PrivateKey(key)


def read_public_key(file: Path) -> PublicKey:
    """Read a public key.

    Raises
    ------
    FileError
        If it is none.
    StudyError
        If the package cryptography is not installed.
    """
    _need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    content = _read(file)  # whose FileError is a ValueError, too
    try:
        key = load_pem_public_key(content)
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        msg = (
            f"{file}: expected a public key (ed25519, PEM): the file with the suffix {PUBLIC} "
            "that sdcmetrics make-keys writes."
        )
        raise FileError(msg)
    return PublicKey(key)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        msg = f"{file}: the key cannot be read ({error.strerror})."
        raise FileError(msg) from None


def _need_cryptography() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        msg = (
            "signatures need the package cryptography, which is not installed. Install it: "
            'pip install "sdcmetrics[sign]"'
        )
        raise StudyError(msg) from None
