#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# By hand: makes images with PDBs of our own sources in FOLDER, for pdb_agrees.py.
#
#    pdb_pairs.sh FOLDER      needs clang-14, lld-14, gcc-mingw-w64-x86-64 and mingw's headers
#
# NAME-MACHINE-LEVEL.dll: clang and lld-link with CodeView (columns too); lto-*: the same over bitcode; ld-*.dll: gcc and
# GNU ld, whose --pdb has public symbols alone, with DWARF in the image.
set -eu

sources=$(cd "$(dirname "$0")/../../src" && pwd)
out=$1
mkdir -p "$out"
cd "$out"
includes="-I$sources/../include"
for room in base system/os system/codec formats/object formats/dwarf formats/pdb formats/demangle; do
        includes="$includes -I$sources/$room"
done
files=$(ls "$sources"/base/*.c "$sources"/formats/pdb/*.c "$sources"/formats/dwarf/*.c "$sources"/formats/demangle/*.c)

for machine in x86_64 aarch64; do
        for level in 0 2; do
                for kind in plain lto; do
                        name=$kind-$machine-O$level
                        mkdir -p "$name"
                        flags="--target=$machine-w64-windows-gnu -isystem /usr/share/mingw-w64/include -std=gnu11
                               -D_GNU_SOURCE -w -g -gcodeview -gcolumn-info -O$level -ffunction-sections"
                        [ $kind = plain ] || flags="$flags -flto"
                        for file in $files; do
                                clang-14 $flags $includes -c "$file" -o "$name/$(basename "$file" .c).obj"
                        done
                        lld-link-14 -lldmingw -dll -noentry -force:unresolved -debug:full -opt:noref -opt:noicf \
                                "-pdb:$name.pdb" "-out:$name.dll" "$name"/*.obj 2>"$name.log"
                done
        done
done

# What needs nothing but the C library.
alone=$(ls "$sources"/base/*.c "$sources"/formats/demangle/*.c)
for level in 0 2; do
        name=ld-x86_64-O$level
        x86_64-w64-mingw32-gcc -std=gnu11 -D_GNU_SOURCE -w -g -O$level $includes $alone -shared "-Wl,--pdb=$name.pdb" \
                -o "$name.dll"
done
