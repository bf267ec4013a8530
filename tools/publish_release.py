#!/usr/bin/python3
"""publish_release.py FOLDER   Makes a GitHub release of the tag in GITHUB_REF_NAME with the packages in FOLDER, if each
is in SHA256SUMS with its checksum and has the tag's version.  The text is the section of CHANGELOG.md.  Runs `gh`
(GH_TOKEN is its token).  --dry-run prints the text and the files instead."""
import hashlib
import os
import pathlib
import re
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent


def changes_of(version: str) -> str:
    """The section of this version, without its heading."""
    sections = re.split(r"^## ", (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)[1:]
    for section in sections:
        heading, _, body = section.partition("\n")
        if heading.split(" ")[0] == version:
            return body.strip() + "\n"
    sys.exit(f"publish_release.py: CHANGELOG.md has no section `## {version}`; write it and move the tag")


def checked_files(folder: pathlib.Path, version: str) -> list[pathlib.Path]:
    sums = {}
    for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ", 1)
        sums[name] = digest
    names = {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    if names != set(sums):
        sys.exit(f"publish_release.py: SHA256SUMS and {folder} differ in {sorted(names ^ set(sums))}")
    for name, digest in sums.items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
            sys.exit(f"publish_release.py: {name} does not have the checksum that SHA256SUMS says")
        if not re.search(rf"[-_]{re.escape(version)}[-_.]", name):
            sys.exit(f"publish_release.py: {name} is not of version {version}; were the packages built from the tag?")
    return [folder / name for name in sorted(sums)] + [folder / "SHA256SUMS"]


def main() -> None:
    arguments = [word for word in sys.argv[1:] if word != "--dry-run"]
    tag = os.environ.get("GITHUB_REF_NAME", "")
    if len(arguments) != 1 or not re.fullmatch(r"v[0-9][A-Za-z0-9.+-]*", tag):
        sys.exit(__doc__ + f"\nGITHUB_REF_NAME is '{tag}'.")
    text = changes_of(tag[1:])
    files = [str(path) for path in checked_files(pathlib.Path(arguments[0]), tag[1:])]
    if "--dry-run" in sys.argv[1:]:
        print(text + "\n".join(files))
        return
    command = ["gh", "release", "create", tag, "--verify-tag", "--title", f"wperf {tag[1:]}", "--notes-file", "-", *files]
    sys.exit(subprocess.run(command, input=text, text=True, check=False).returncode)


if __name__ == "__main__":
    main()
