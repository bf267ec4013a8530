#!/bin/sh
# version.sh VERSION   Prints the version of this source: of the git tag (v0.2.0 gives 0.2.0, and three commits later
# 0.2.0+3.g1234abcd), or VERSION where no tag is to be seen.
cd "$(dirname "$0")/.." || exit 1
[ -e .git ] && described=$(git describe --tags --match 'v[0-9]*' 2>/dev/null) || described=v$1
echo "${described#v}" | sed -E 's/-([0-9]+)-(g[0-9a-f]+)$/+\1.\2/'
