#!/bin/bash
# codec_libs.sh DIR HOST LIBRARY...   Builds zlib, libdeflate, libzstd and liblzma (those that are named) for HOST, a prefix of
# compilers (x86_64-w64-mingw32), from Debian's sources, as static libraries, into DIR/prefix.  CC, AR, RANLIB, CFLAGS and, for
# Windows, RC say by what.  DIR/prefix/versions gets a line NAME VERSION for each, DIR/prefix/licenses its copyright.  What is there
# already stays.
# SOURCES is a folder that keeps Debian's sources, for several HOSTs.
# Needs: dpkg-dev make xz-utils and the compiler.  The machine's own apt lists stay as they are.

set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
. "$(dirname "$0")/debian_archive.sh"
dir=${1:?usage: codec_libs.sh DIR HOST LIBRARY...}
host=$2
shift 2
command -v ccache >/dev/null && with_ccache="ccache "
CC=${CC-${with_ccache-}$host-gcc} AR=${AR-$host-ar} RANLIB=${RANLIB-$host-ranlib} jobs=${JOBS:-$(nproc)}

mkdir -p "$dir"
cd "$dir"
dir=$PWD
prefix=$dir/prefix
sources=${SOURCES-$dir/sources}

# get_source PACKAGE VERSION: at DIR/PACKAGE
get_source() {
        if [ ! -f "$sources/$1.version" ]; then
                debian_archive_open "$sources/apt" deb-src "bookworm bookworm-updates bookworm-security"
                debian_archive_source "$1" "$2" "$sources/$1"
        fi
        rm -rf "${dir:?}/$1"
        cp -a "$sources/$1" "$dir/$1"
}

# install_library SOURCE NAME VERSION [FILE]...: FILEs are its archive and headers; NAME.pc comes last, since it says that all is
# there
install_library() {
        local source=$1 name=$2 version=$3 link=${2/#lib/} file
        shift 3
        [ "$link" != zlib ] || link=z
        mkdir -p "$prefix"/{include,licenses,lib/pkgconfig}
        for file in "$@"; do
                case $file in *.a) cp "$file" "$prefix/lib" ;; *) cp "$file" "$prefix/include" ;; esac
        done
        cp "$source/debian/copyright" "$prefix/licenses/$name"
        echo "$name $(cat "$sources/$source.version")" >>"$prefix/versions"
        cat >"$prefix/lib/pkgconfig/$name.pc" <<PC
prefix=\${pcfiledir}/../..
Name: $name
Description: $name for $host, static
Version: $version
Cflags: -I\${prefix}/include ${c_flags-}
Libs: -L\${prefix}/lib -l$link
PC
}

build_zlib() {
        get_source zlib 1.2.13
        (cd zlib && CC=$CC AR=$AR RANLIB=$RANLIB CFLAGS=${CFLAGS--O3} CHOST=$host ./configure --static)
        make -C zlib -j"$jobs" libz.a
        install_library zlib zlib 1.2.13 zlib/libz.a zlib/zlib.h zlib/zconf.h
}

build_libdeflate() {
        get_source libdeflate 1.14
        make -C libdeflate -j"$jobs" libdeflate.a CC="$CC" AR="$AR" CFLAGS="${CFLAGS--O2}"
        install_library libdeflate libdeflate 1.14 libdeflate/libdeflate.a libdeflate/libdeflate.h
}

build_libzstd() {
        get_source libzstd 1.5.4
        make -C libzstd/lib -j"$jobs" libzstd.a CC="$CC" AR="$AR" CFLAGS="${CFLAGS--O3}" ZSTD_LEGACY_SUPPORT=0
        install_library libzstd libzstd 1.5.4 libzstd/lib/libzstd.a libzstd/lib/zstd.h libzstd/lib/zstd_errors.h
}

build_liblzma() {
        local c_flags=-DLZMA_API_STATIC
        get_source xz-utils 5.4.1
        mkdir -p xz-build
        (cd xz-build && "$dir/xz-utils/configure" --host="$host" --prefix="$prefix" --disable-shared --disable-nls \
                --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-scripts --disable-doc \
                CC="$CC" AR="$AR" RANLIB="$RANLIB" CFLAGS="${CFLAGS--g -O2}")
        make -C xz-build/src/liblzma -j"$jobs" install
        install_library xz-utils liblzma 5.4.1
}

for library in "$@"; do
        [ -f "$prefix/lib/pkgconfig/$library.pc" ] || "build_$library"
done
rm -rf zlib libdeflate libzstd xz-utils xz-build
[ -n "${SOURCES-}" ] || rm -rf "$sources"
