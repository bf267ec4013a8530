#!/bin/bash
# mingw-libs.sh DIR   Builds zstd and liblzma for x86_64-w64-mingw32 from Debian's sources, as static libraries, into
# DIR/prefix, and writes DIR/prefix.ini, a Meson cross file that finds them.  What is there already stays.
# Needs: dpkg-dev make xz-utils gcc-mingw-w64-x86-64.

set -eu
host=x86_64-w64-mingw32
"$(dirname "$0")/codec_libs.sh" "${1:?usage: mingw-libs.sh DIR}" $host libzstd liblzma
cat >"$1/prefix.ini" <<INI
[properties]
pkg_config_libdir = ['$(realpath "$1")/prefix/lib/pkgconfig', '/usr/$host/lib/pkgconfig']
INI
