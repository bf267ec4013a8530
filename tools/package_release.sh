#!/bin/bash
# package_release.sh   Builds all packages of a release, for Linux and Windows, in build/package/dist.
set -eu
cd "$(dirname "$0")"
./package_linux.sh
./package_windows.sh
