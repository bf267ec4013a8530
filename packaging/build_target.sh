#!/bin/bash
# build_target.sh DIR TARGET   Builds wperf for TARGET (toolchain.sh has the list) in DIR/TARGET: tree/ as `meson install` fills
# it, with the program stripped, and wperf.debug, its debug information.

set -eu
cd "$(dirname "$0")/.."
project=$PWD
dir=$(realpath -m "${1:?usage: build_target.sh DIR TARGET}")
target=$2
place=$dir/$target
program=$place/tree/usr/local/bin/wperf

configure() {
        local machine=--native-file arguments=()
        local paths=-ffile-prefix-map=$project=/usr/src/wperf
        local hardening='-fstack-protector-strong -D_FORTIFY_SOURCE=2' links="-Wl,-z,relro,-z,now,--build-id=sha1 $paths"
        case $target in
        x86_64-*) arguments=(-Dpfm=enabled) ;;
        *) machine=--cross-file ;;
        esac
        case $target in
        *-musl)
                links="$links -static"
                arguments+=(-Dlibrary=none -Dbpf=disabled)
                ;;
        x86_64-*) arguments+=(-Db_pie=true -Dlibrary=shared -Dbpf=enabled) ;;
        *) arguments+=(-Db_pie=true -Dlibrary=shared) ;;
        esac
        meson setup "$place/build" $machine "$place/machine.ini" --buildtype=release -Ddebug=true -Db_lto=true \
                -Dpages=enabled -Dzlib=enabled -Dlibdeflate=enabled -Dzstd=enabled -Dlzma=enabled "${arguments[@]}" \
                -Dc_args="$hardening $paths" -Dc_link_args="$links"
}

packaging/toolchain.sh "$dir" "$target"
[ -f "$place/build/build.ninja" ] || configure
ninja -C "$place/build" -j "${JOBS:-$(nproc)}"
rm -rf "$place/tree"
meson install -C "$place/build" --no-rebuild --destdir "$place/tree"
library=$(find "$place/tree" -name 'libwperf.so.1')
packaging/check_binary.py "$program" $library
objcopy=$(sed -n "s/^objcopy = '\(.*\)'/\1/p" "$place/machine.ini")
"$objcopy" --only-keep-debug --compress-debug-sections "$program" "$place/wperf.debug"
"$objcopy" --strip-all --remove-section=.comment "$program"
[ -z "$library" ] || "$objcopy" --strip-unneeded --remove-section=.comment "$library"
