#!/bin/sh
# git_version.sh   Prints git's description of this source: 1234abcd, or v0.2.0-3-g1234abcd where a tag is to be seen, with -dirty if
# files differ from the commit; "unknown" outside a repository.
cd "$(dirname "$0")/.." || exit 1
[ -e .git ] && git describe --tags --match 'v[0-9]*' --always --abbrev=8 --dirty 2>/dev/null || echo unknown
