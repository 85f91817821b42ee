"""An authority of a test's own, and certificates that it signs for this machine."""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


class Authority:
    """Signs certificates; its own is NAME-authority.pem in the folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{name} authority")])
        self.certificate = folder / f"{name}-authority.pem"
        basic = x509.BasicConstraints(ca=True, path_length=0)
        _write(self.certificate, self._signed(self._name, self._key.public_key(), basic))

    def issue(self, name: str, *others: str) -> dict[str, Path]:
        """A new key and certificate for `name`, `others` and this machine, as settings name them;
        what `name` had is replaced."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        basic = x509.BasicConstraints(ca=False, path_length=None)
        certificate, secret = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        _write(certificate, self._signed(subject, key.public_key(), basic, name, *others))
        _write(
            secret,
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            ),
        )
        return self.files(name)

    def files(self, name: str) -> dict[str, Path]:
        """Where the key and certificate of `name` are, as settings name them."""
        return {
            "tls_certificate": self._folder / f"{name}.pem",
            "tls_key": self._folder / f"{name}.key",
            "tls_authority": self.certificate,
        }

    def _signed(
        self,
        subject: x509.Name,
        public: ec.EllipticCurvePublicKey,
        basic: x509.BasicConstraints,
        *names: str,
    ) -> bytes:
        now = datetime.datetime.now(datetime.UTC)
        here = [
            x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
            *(x509.DNSName(name) for name in ("localhost", *names)),
        ]
        return (
            x509.CertificateBuilder(self._name, subject, public, x509.random_serial_number())
            .not_valid_before(now - DAY)
            .not_valid_after(now + DAY)
            .add_extension(x509.SubjectAlternativeName(here), critical=False)
            .add_extension(basic, critical=True)
            .sign(self._key, hashes.SHA256())
            .public_bytes(serialization.Encoding.PEM)
        )


def _write(path: Path, content: bytes) -> None:
    # At once, as Kubernetes replaces a mounted secret: nobody sees half of it.
    beside = path.with_suffix(".new")
    beside.write_bytes(content)
    beside.replace(path)
