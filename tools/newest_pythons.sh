#!/bin/sh
# Installs the Pythons of Debian unstable, which the tests then find: newest_pythons.sh [DIR], as root.  DIR is
# /var/tmp/newest-pythons, or the variable NEWEST_PYTHONS of the tests.  Does nothing if DIR is there.
#
# They run outside of DIR with its C library, so that their files have the same paths for all programs.
set -eu
root=${1:-${NEWEST_PYTHONS:-/var/tmp/newest-pythons}}
versions='3.14 3.15'

[ ! -e "$root" ] || exit 0
new=$root.new
rm -rf "$new"
packages=
for version in $versions; do
        packages=$packages,python$version,python$version-dbg,libpython$version-dev
done
debootstrap --variant=minbase --include="${packages#,}" unstable "$new"
mv "$new" "$root"
for version in $versions; do
        for program in "$root/usr/bin/python$version" "$root/usr/bin/python${version}d"; do
                patchelf --set-interpreter "$root/lib64/ld-linux-x86-64.so.2" --force-rpath \
                        --set-rpath "$root/usr/lib/x86_64-linux-gnu" "$program"
                "$program" --version
        done
done
