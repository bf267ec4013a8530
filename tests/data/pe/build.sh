#!/bin/sh
# Makes every image in this folder again, here.  Debian 12: clang, lld 14.0.6, gcc-mingw-w64 12.2, binutils 2.40.  The
# files are checked in.  The .unwind files hold what llvm-readobj 19.1.7 says of them:
#     ../../oracle/unwind_agrees.py UNWIND_DUMP --answers llvm-readobj-19 x64.dll arm64.dll
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

image() { # image NAME TARGET MACHINE [options]
        name=$1 machine=$3
        clang-14 "--target=$2" -c "$name.s" -o "$folder/$name.obj"
        shift 3
        lld-link-14 "/machine:$machine" /dll /noentry /nodefaultlib /brepro /debug "/pdbaltpath:$name.pdb" \
                "/pdb:$folder/$name.pdb" "/def:$name.def" "/implib:$folder/$name.lib" "/out:$name.dll" "$@" \
                "$folder/$name.obj"
}

image x64 x86_64-pc-windows-msvc x64
image arm64 aarch64-pc-windows-msvc arm64
image x86 i686-pc-windows-msvc x86 /safeseh:no
x86_64-w64-mingw32-gcc -O1 -g -nostdlib -ffile-prefix-map="$PWD=." -Wl,-e,start -Wl,--no-insert-timestamp \
        -Wl,--build-id=none -o mingw.exe mingw.c
x86_64-w64-mingw32-gcc -O1 -g -nostdlib -ffile-prefix-map="$PWD=." -Wl,-e,start -Wl,--no-insert-timestamp \
        -Wl,--pdb=ld.pdb -o ld.exe mingw.c
x86_64-w64-mingw32-strip -s -o ld-stripped.exe ld.exe
