#!/bin/bash
# mingw-libs.sh DIR   Builds zstd and liblzma for x86_64-w64-mingw32 from Debian's sources, as static libraries, into
# DIR/prefix, and writes DIR/prefix.ini, a Meson cross file that finds them.  What is there already stays.
# Needs: dpkg-dev make xz-utils gcc-mingw-w64-x86-64.  The machine's own apt lists stay as they are.

set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
zstd_version=1.5.4
xz_version=5.4.1
host=x86_64-w64-mingw32

mkdir -p "${1:?usage: mingw-libs.sh DIR}"
cd "$1"
dir=$PWD
prefix=$dir/prefix

# A state of apt of our own, with the source side of the Debian archives that the machine uses.
set_up_apt() {
        local apt=$dir/apt
        unset APT_CONFIG
        mkdir -p "$apt"/{lists/partial,cache/archives/partial}
        apt-get indextargets --format 'deb-src [signed-by=KEYS] $(REPO_URI) $(RELEASE) $(COMPONENT)' \
                'Created-By: Packages' 'Component: main' | grep -E ' bookworm(-updates|-security)? main$' | sort -u |
                sed 's,KEYS,/usr/share/keyrings/debian-archive-keyring.gpg,' >"$apt/sources.list"
        [ -s "$apt/sources.list" ] || { echo "no archive of Debian 12 among the sources of apt" >&2; exit 1; }
        cat >"$apt/apt.conf" <<CONF
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
CONF
        export APT_CONFIG=$apt/apt.conf
        [ -f "$apt/updated" ] || { apt-get update -qq && touch "$apt/updated"; }
}

# get_source PACKAGE VERSION: unpacks it at DIR/PACKAGE
get_source() {
        local found
        set_up_apt
        rm -rf "$dir/unpack" "${dir:?}/$1"
        mkdir "$dir/unpack"
        (cd "$dir/unpack" && apt-get source -qq "$1")
        found=$(sed -n 's/^Version: \([0-9.]*\).*/\1/p' "$dir/unpack"/*.dsc)
        [ "$found" = "$2" ] || { echo "$1: Debian has version $found, this script is for $2" >&2; exit 1; }
        mv "$dir/unpack"/*/ "$dir/$1"
        rm -rf "$dir/unpack"
}

# write_pc NAME VERSION LIBRARY [CFLAGS]
write_pc() {
        mkdir -p "$prefix/lib/pkgconfig"
        cat >"$prefix/lib/pkgconfig/$1.pc" <<PC
prefix=\${pcfiledir}/../..
Name: $1
Description: $1 for $host, static
Version: $2
Cflags: -I\${prefix}/include ${4-}
Libs: -L\${prefix}/lib -l$3
PC
}

build_zstd() {
        get_source libzstd $zstd_version
        make -C libzstd/lib -j"$(nproc)" libzstd.a CC=$host-gcc AR=$host-ar ZSTD_LEGACY_SUPPORT=0
        mkdir -p "$prefix"/{include,lib}
        cp libzstd/lib/zstd.h libzstd/lib/zstd_errors.h "$prefix/include"
        cp libzstd/lib/libzstd.a "$prefix/lib"
        write_pc libzstd $zstd_version zstd
}

build_xz() {
        get_source xz-utils $xz_version
        mkdir -p xz-build
        (cd xz-build && "$dir/xz-utils/configure" --host=$host --prefix="$prefix" --disable-shared --disable-nls \
                --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-scripts --disable-doc)
        make -C xz-build/src/liblzma -j"$(nproc)" install
        write_pc liblzma $xz_version lzma -DLZMA_API_STATIC
}

[ -f "$prefix/lib/pkgconfig/libzstd.pc" ] || build_zstd
[ -f "$prefix/lib/pkgconfig/liblzma.pc" ] || build_xz
cat >"$dir/prefix.ini" <<INI
[properties]
pkg_config_libdir = ['$prefix/lib/pkgconfig', '/usr/$host/lib/pkgconfig']
INI
rm -rf libzstd xz-utils xz-build apt
