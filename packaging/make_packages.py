#!/usr/bin/python3
"""make_packages.py DIR TARGET...   Makes DIR/dist of what build_target.sh has built in DIR: archives, .deb packages, wheels, npm
packages, the bill of materials and SHA256SUMS.  SOURCE_DATE_EPOCH is the time that files get."""
import shutil
import sys

import archive
import deb
import npm
import spdx
import wheel
from release import TARGETS, Release, Target, open_release, write_sums


def write_all(release: Release, targets: list[Target]) -> None:
    shutil.rmtree(release.dist, ignore_errors=True)
    release.dist.mkdir(parents=True)
    for target in targets:
        archive.write(release, target)
        wheel.write(release, target)
        if target.debian:
            deb.write(release, target)
    npm.write(release, targets)
    spdx.write(release, targets)
    write_sums(release)


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    write_all(open_release(sys.argv[1]), [TARGETS[name] for name in sys.argv[2:]])


if __name__ == "__main__":
    main()
