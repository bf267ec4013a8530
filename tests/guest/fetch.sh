#!/bin/bash
# fetch.sh DIR   Fetches what the arm64 guest is made of from the Debian archives that apt knows, and unpacks it:
# DIR/kernel (image and modules), DIR/headers (to build a module), DIR/busybox, DIR/perf (Debian's perf with its
# libraries).  What is there already stays.  Nothing is installed.  Needs the architecture arm64 in dpkg.

set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
script=$(realpath "$0")
mkdir -p "${1:?usage: fetch.sh DIR}"
cd "$1"
dir=$PWD

die() {
        echo "fetch.sh: $*" >&2
        exit 1
}

# depends PACKAGE PATTERN: the first real package that PACKAGE depends on and whose name matches
depends() {
        apt-cache depends "$1:arm64" | sed -n "s/^ *\(Depends: \)\?\($2\)\(:arm64\)\?$/\2/p" | head -n 1
}

# The libraries that a package can load, not the programs that it recommends or that its libraries would like to have.
libraries() {
        apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
                --no-enhances "$1:arm64" | sed -n 's/^ *Depends: \(\(lib\|zlib\)[^ ]*:arm64\)$/\1/p' | sort -u
}

# unpack FOLDER PACKAGE...
unpack() {
        local folder=$1 deb
        shift
        rm -rf "$dir/debs" "${dir:?}/$folder"
        mkdir -p "$dir/debs" "$dir/$folder"
        (cd "$dir/debs" && apt-get download -qq -o APT::Sandbox::User=root -o Acquire::Retries=3 "$@") ||
                die "apt-get can't download $*"
        for deb in "$dir/debs"/*.deb; do dpkg -x "$deb" "$dir/$folder"; done
        rm -rf "$dir/debs"
}

# Debian's headers name their place by its absolute path.
move_headers() {
        local source=$dir/headers/usr/src
        sed -i "s#/usr/src/#$source/#" "$source/linux-headers-$1"/Makefile
        ln -sfn "$source/linux-headers-$1" "$dir/headers/build"
}

key=$(sha256sum <"$script")
[ "$(cat fetched 2>/dev/null)" = "$key $dir" ] && exit 0
dpkg --print-foreign-architectures | grep -qx arm64 || die "no architecture arm64: dpkg --add-architecture arm64"
[ "$(id -u)" -ne 0 ] || apt-get update -qq ||
        echo "apt-get update failed; trying with the lists that are there" >&2
image=$(depends linux-image-cloud-arm64 'linux-image-[0-9][^ :]*')
[ -n "$image" ] || die "apt knows no linux-image-cloud-arm64:arm64: apt-get update"
release=${image#linux-image-}
common=$(depends "linux-headers-$release" 'linux-headers-[^ :]*-common')
kbuild=$(depends "linux-headers-$release" 'linux-kbuild-[^ :]*')
[ -n "$common" ] && [ -n "$kbuild" ] || die "apt knows no linux-headers-$release:arm64"

unpack kernel "$image:arm64"
unpack headers "linux-headers-$release:arm64" "$common" "$kbuild"
move_headers "$release"
unpack busybox busybox-static:arm64
unpack perf linux-perf:arm64 $(libraries linux-perf)
echo "$key $dir" >fetched
echo "$release"
