#!/usr/bin/python3
"""Makes the catalogue of a driver package: make_catalogue.py OUT.cat SECONDS FILE.inf FILE.sys... SECONDS is its time, since 1970. It is
not signed: osslsigncode does that, and check_catalogue.py compares it with files. Needs: python3-asn1crypto.

The catalogue is a certificate trust list in a PKCS#7 message. Each file is a member, whose name is its hash: of a PE file that part
which a signature covers, so that the catalogue holds before and after the file is signed, of others the whole file."""
import datetime
import hashlib
import os
import struct
import sys

from asn1crypto import core

TRUST_LIST, LIST, MEMBERS = "1.3.6.1.4.1.311.10.1", "1.3.6.1.4.1.311.12.1.1", "1.3.6.1.4.1.311.12.1.3"
NAME_VALUE, MEMBER_INFO, INDIRECT_DATA = "1.3.6.1.4.1.311.12.2.1", "1.3.6.1.4.1.311.12.2.3", "1.3.6.1.4.1.311.2.1.4"
PE_IMAGE, LINK = "1.3.6.1.4.1.311.2.1.15", "1.3.6.1.4.1.311.2.1.25"
SHA256 = "2.16.840.1.101.3.4.2.1"
# CRYPTCAT_ATTR_AUTHENTICATED, _NAMEASCII and _DATAASCII: how a name and its value are stored.
VALUE_FLAGS = 0x10010001
# Windows 10 and 11: of each file, and of the package.
MEMBER_SYSTEM, SYSTEM = "2:10.0", "_v100_ARM64"
PE_OFFSET, CHECKSUM, MAGIC, PE32_PLUS, CERTIFICATES = 0x3c, 24 + 64, 24, 0x20b, 24 + 112 + 4 * 8


def der(tag: int, *parts: bytes) -> bytes:
    """A value with its tag, which is below 31, and its length."""
    content = b"".join(parts)
    size = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag]) + (bytes([len(content)]) if len(content) < 0x80 else bytes([0x80 | len(size)]) + size) + content


def sequence(*parts: bytes) -> bytes:
    return der(0x30, *parts)


def set_of(*parts: bytes) -> bytes:
    return der(0x31, *sorted(parts))


def oid(text: str) -> bytes:
    return core.ObjectIdentifier(text).dump()


def octets(content: bytes) -> bytes:
    return core.OctetString(content).dump()


def authenticode_hash(data: bytes, path: str) -> bytes:
    """Without the checksum, the entry of the certificates in the header, and the certificates. A signature makes the size of the
    file a multiple of 8."""
    pe = struct.unpack_from("<I", data, PE_OFFSET)[0] if data[:2] == b"MZ" and len(data) >= PE_OFFSET + 4 else len(data)
    if len(data) < pe + CERTIFICATES + 8 or struct.unpack_from("<H", data, pe + MAGIC)[0] != PE32_PLUS:
        sys.exit(f"make_catalogue.py: {path} is not a driver of 64 bits")
    certificates, size = struct.unpack_from("<II", data, pe + CERTIFICATES)
    end = certificates if size else len(data)
    if end > len(data) or end < pe + CERTIFICATES + 8:
        sys.exit(f"make_catalogue.py: {path}: its signature is outside of the file")
    covered = data[:pe + CHECKSUM] + data[pe + CHECKSUM + 4:pe + CERTIFICATES] + data[pe + CERTIFICATES + 8:end]
    return hashlib.sha256(covered + bytes(-end % 8)).digest()


def name_value(name: str, value: str) -> bytes:
    return sequence(core.BMPString(name).dump(), core.Integer(VALUE_FLAGS).dump(), octets(value.encode("utf-16-le") + bytes(2)))


def attribute(name: str, value: bytes) -> bytes:
    return sequence(oid(name), set_of(value))


def file_hash(path: str) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    return authenticode_hash(data, path) if path.lower().endswith(".sys") else hashlib.sha256(data).digest()


def member(path: str) -> tuple[bytes, bytes]:
    """Its hash, and its entry in the list."""
    is_image, digest = path.lower().endswith(".sys"), file_hash(path)
    nowhere = der(0xa2, der(0x80))
    kind = sequence(oid(PE_IMAGE), sequence(der(0x03, b"\5\xa0"), der(0xa0, nowhere))) if is_image else sequence(oid(LINK), nowhere)
    indirect = sequence(kind, sequence(sequence(oid(SHA256), core.Null().dump()), octets(digest)))
    attributes = set_of(attribute(MEMBER_INFO, der(0x80 if is_image else 0x82)), attribute(INDIRECT_DATA, indirect),
                        attribute(NAME_VALUE, name_value("File", os.path.basename(path))),
                        attribute(NAME_VALUE, name_value("OSAttr", MEMBER_SYSTEM)))
    return digest, sequence(octets(digest), attributes)


def trust_list(paths: list[str], time: datetime.datetime) -> bytes:
    members = sorted(member(path) for path in paths)
    identity = hashlib.sha256(b"".join(digest for digest, _ in members)).digest()[:16]
    system = sequence(oid(NAME_VALUE), octets(name_value("OS", SYSTEM)))
    return sequence(sequence(oid(LIST)), octets(identity), core.UTCTime(time).dump(), sequence(oid(MEMBERS), core.Null().dump()),
                    sequence(*(entry for _, entry in members)), der(0xa0, sequence(system)))


def main() -> None:
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    content = trust_list(sys.argv[3:], datetime.datetime.fromtimestamp(int(sys.argv[2]), datetime.timezone.utc))
    signed = sequence(core.Integer(1).dump(), set_of(), sequence(oid(TRUST_LIST), der(0xa0, content)), set_of())
    message = sequence(oid("1.2.840.113549.1.7.2"), der(0xa0, signed))
    with open(sys.argv[1], "wb") as file:
        file.write(message)


if __name__ == "__main__":
    main()
