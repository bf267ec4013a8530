"""The bill of materials (SPDX 2.3, JSON): what is in each program, from where, by which licence."""
import hashlib
import json
import pathlib

from release import Release, Target

# Licences as SPDX writes them: what the authors say, and what applies here.
LICENSES = {
    "zlib": "Zlib",
    "libdeflate": "MIT",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
    "liblzma": "LicenseRef-xz-public-domain",
    "mingw-w64": "ZPL-2.1",
    "musl": "MIT",
    "glibc": "LGPL-2.1-or-later WITH GCC-exception-2.0",
    "libgcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
}
CONCLUDED = {"libzstd": "BSD-3-Clause"}
LOADED = {"LLVM": "Apache-2.0 WITH LLVM-exception", "libpfm4": "MIT", "libbpf": "LGPL-2.1-only OR BSD-2-Clause",
          "libdebuginfod": "LGPL-3.0-or-later OR GPL-2.0-or-later"}
SOURCES = {"liblzma": "xz-utils", "libgcc": "gcc-12"}  # Debian's names of sources, where they differ
PUBLIC_DOMAIN = {"licenseId": "LicenseRef-xz-public-domain", "name": "liblzma is in the public domain",
                 "extractedText": "liblzma is in the public domain."}


def ident(name: str) -> str:
    return "SPDXRef-" + name.replace("_", "-")


def package(name: str, version: str, license_text: str, location: str = "NOASSERTION", **more) -> dict:
    return {"name": name, "SPDXID": ident(name), "versionInfo": version, "downloadLocation": location,
            "filesAnalyzed": False, "licenseDeclared": license_text,
            "licenseConcluded": CONCLUDED.get(name, license_text), "copyrightText": "NOASSERTION", **more}


def library(name: str, version: str) -> dict:
    source = SOURCES.get(name, name)
    purl = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{source}@{version.replace(':', '%3A').replace('+', '%2B')}?arch=source"}
    return package(name, version, LICENSES[name], f"https://snapshot.debian.org/package/{source}/{version}/",
                   externalRefs=[purl], supplier="Organization: Debian")


def program(release: Release, target: Target) -> dict:
    digest = hashlib.sha256(release.program(target).read_bytes()).hexdigest()
    return package(f"wperf-{target.archive}", release.version, "BSD-3-Clause", packageFileName=release.program(target).name,
                   checksums=[{"algorithm": "SHA256", "checksumValue": digest}], primaryPackagePurpose="APPLICATION")


def more_program(release: Release, target: Target, path: pathlib.Path) -> dict:
    """The driver or its installer."""
    purpose = "DEVICE" if path.suffix == ".sys" else "APPLICATION"
    return package(f"{path.stem}-{target.archive}", release.version, "BSD-3-Clause", packageFileName=path.name,
                   checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}],
                   primaryPackagePurpose=purpose)


def shared_library(release: Release, target: Target) -> dict:
    digest = hashlib.sha256(release.library(target).read_bytes()).hexdigest()
    return package(f"libwperf-{target.archive}", release.version, "BSD-3-Clause", packageFileName="libwperf.so.1",
                   checksums=[{"algorithm": "SHA256", "checksumValue": digest}], primaryPackagePurpose="LIBRARY")


def relation(one: str, kind: str, other: str) -> dict:
    return {"spdxElementId": ident(one), "relationshipType": kind, "relatedSpdxElement": ident(other)}


def write(release: Release, targets: list[Target], system: str = "") -> None:
    """system: part of the file's name, where it is not the bill of the Linux packages."""
    libraries, packages, relations = {}, [], []
    for target in targets:
        name = f"wperf-{target.archive}"
        names = [name]
        packages.append(program(release, target))
        if not target.is_windows and release.library(target):
            packages.append(shared_library(release, target))
            names.append(f"libwperf-{target.archive}")
        more = release.more_programs(target)
        packages += [more_program(release, target, path) for path in more]
        relations += [relation("DOCUMENT", "DESCRIBES", f"{path.stem}-{target.archive}") for path in more]
        relations += [relation(f"{path.stem}-{target.archive}", "STATIC_LINK", "mingw-w64") for path in more if path.suffix == ".exe"]
        relations += [relation("DOCUMENT", "DESCRIBES", described) for described in names]
        for part, version in release.libraries(target).items():
            libraries[part] = library(part, version)
            relations += [relation(described, "STATIC_LINK", part) for described in names]
        if target.npm_libc == "glibc":
            relations += [relation(part, "OPTIONAL_DEPENDENCY_OF", name) for part in LOADED]
    packages += [libraries[part] for part in sorted(libraries)]
    if any(target.npm_libc == "glibc" for target in targets):
        packages += [package(part, "NOASSERTION", text) for part, text in LOADED.items()]
    name = f"wperf-{release.version}{system}"
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://wperf.invalid/spdx/{name}-{release.epoch}",
        "creationInfo": {"created": release.time.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: wperf-packaging"]},
        "packages": packages, "relationships": relations, "hasExtractedLicensingInfos": [PUBLIC_DOMAIN]}
    (release.dist / f"{name}.spdx.json").write_text(json.dumps(document, indent=1) + "\n")
