#!/bin/bash
# windows_crt.sh DIR HOST   Builds the headers, the start files and the libraries of mingw-w64 that wperf needs, from Debian's
# source, with clang 14, for the universal C runtime of Windows (ucrt).  HOST is aarch64-w64-mingw32 or x86_64-w64-mingw32.
# DIR gets cc and windres, the compilers; prefix/, with licenses/ and a line NAME VERSION in versions; and prefix.ini, a Meson cross file to be given
# together with cross/windows-clang.ini.  What is there already stays.  SOURCES is a folder that keeps Debian's sources, for several
# HOSTs.
# Needs: clang-14 lld-14 llvm-14 dpkg-dev make bzip2.  The machine's own apt lists stay as they are.

set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
here=$(realpath "$(dirname "$0")")
. "$here/debian_archive.sh"
dir=${1:?usage: windows_crt.sh DIR HOST}
host=${2:?usage: windows_crt.sh DIR HOST}
jobs=${JOBS:-$(nproc)}
case $host in
aarch64-w64-mingw32) library_folder=libarm64 ;;
x86_64-w64-mingw32) library_folder=lib64 ;;
*) echo "windows_crt.sh: '$host' is not a host" >&2; exit 2 ;;
esac
cpu=${host%%-*}

# The start files, the C library, and import libraries: those that clang names itself, and those of the system's functions.
parts=(crt2.o crt2u.o dllcrt2.o crtbegin.o crtend.o libmingw32.a libmingwex.a libmoldname.a libmsvcrt.a libkernel32.a libadvapi32.a libshell32.a
        libuser32.a libntdll.a libpsapi.a libdbghelp.a libversion.a libsetupapi.a libcfgmgr32.a)

mkdir -p "$dir"
cd "$dir"
dir=$PWD
prefix=$dir/prefix
sources=${SOURCES-$dir/sources}
source=$sources/mingw-w64
resources=$dir/clang

# clang makes no unwind information for arm64 unless it is asked to, and finds its run-time library in the folder of resources, whose
# headers are clang's own. Only links name that folder: otherwise a compiler cache would find no object of another checkout.
write_compiler() {
        mkdir -p "$resources/lib/windows"
        ln -sfn "$(clang-14 -print-resource-dir)/include" "$resources/include"
        cat >"$dir/cc" <<SH
#!/bin/sh
resources="-resource-dir=$resources"
for word in "\$@"; do
        [ "\$word" != -c ] || resources=
done
exec clang-14 --start-no-unused-arguments --target=$host --sysroot='$prefix' \${resources:+"\$resources"} -fuse-ld=lld \\
        -rtlib=compiler-rt -unwindlib=none -fasynchronous-unwind-tables -fseh-exceptions --end-no-unused-arguments "\$@"
SH
        cat >"$dir/windres" <<SH
#!/bin/sh
exec llvm-windres-14 --target=$host --preprocessor='$dir/cc' --preprocessor-arg=-E --preprocessor-arg=-xc \\
        --preprocessor-arg=-DRC_INVOKED "\$@"
SH
        chmod +x "$dir/cc" "$dir/windres"
}

get_source() {
        [ ! -f "$source.version" ] || return 0
        debian_archive_open "$sources/apt" deb-src "bookworm bookworm-updates bookworm-security"
        debian_archive_source mingw-w64 10.0.0 "$source"
}

# configure PART ARGUMENT...: in DIR/PART
configure() {
        local part=$1
        shift
        rm -rf "${dir:?}/$part"
        mkdir -p "$dir/$part"
        cd "$dir/$part"
        "$source/mingw-w64-$part/configure" -q --host="$host" --prefix="$prefix" --with-default-msvcrt=ucrt "$@"
}

build_headers() {
        configure headers
        make -s install
}

build_libraries() {
        local enabled=(--disable-lib32 --disable-lib64 --disable-libarm32 --disable-libarm64 "--enable-$library_folder")
        configure crt --disable-dependency-tracking "${enabled[@]}" CC="$dir/cc" AS="$dir/cc" \
                AR=llvm-ar-14 RANLIB=llvm-ranlib-14 NM=llvm-nm-14 DLLTOOL=llvm-dlltool-14 \
                CFLAGS="-O2 -g -gcodeview"
        mkdir -p "$library_folder"
        make -s -j"$jobs" "${parts[@]/#/$library_folder/}"
        mkdir -p "$prefix/lib"
        cp "${parts[@]/#/$library_folder/}" "$prefix/lib"
}

# What clang's own run-time library would have; Debian has none for Windows.
build_builtins() {
        "$dir/cc" -c "$here/windows_stack_$cpu.S" -o "$dir/stack.o"
        llvm-ar-14 rcsD "$resources/lib/windows/libclang_rt.builtins-$cpu.a" "$dir/stack.o"
        rm "$dir/stack.o"
}

write_compiler
# dllcrt2.o was not always among the parts.
if [ ! -f "$prefix/lib/dllcrt2.o" ] || ! grep -q '^mingw-w64 ' "$prefix/versions"; then
        get_source
        build_headers
        build_builtins
        build_libraries
        mkdir -p "$prefix/licenses"
        cp "$source"/COPYING.MinGW-w64-runtime/COPYING.MinGW-w64-runtime.txt "$prefix/licenses/mingw-w64"
        grep -q '^mingw-w64 ' "$prefix/versions" 2>/dev/null || echo "mingw-w64 $(cat "$source.version")" >>"$prefix/versions"
        rm -rf "$dir/headers" "$dir/crt"
fi
[ -n "${SOURCES-}" ] || rm -rf "$sources"
cat >"$dir/prefix.ini" <<INI
[constants]
crt = '$dir'
cpu = '$cpu'
INI
