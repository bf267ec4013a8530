#!/bin/bash
# build_windows.sh DIR TARGET   Builds wperf for Windows in DIR/TARGET: wperf.exe and wperf.pdb, its debug information; for ARM64 also
# the driver, wperfdriver-2.sys and .inf, its installer, wperf-devgen.exe, and wperf-prove.exe, with their PDB files; versions and licenses/ of the libraries that
# are linked in.  TARGET is aarch64-w64-mingw32 or x86_64-w64-mingw32.

set -eu
cd "$(dirname "$0")/.."
dir=$(realpath -m "${1:?usage: build_windows.sh DIR TARGET}")
target=$2
place=$dir/$target
export SOURCES=$dir/sources

build_libraries() {
        cross/windows_crt.sh "$place" "$target"
        CC=$place/cc RC=$place/windres AR=llvm-ar-14 RANLIB=llvm-ranlib-14 CFLAGS='-O3 -g -gcodeview' \
                cross/codec_libs.sh "$place" "$target" zlib libzstd liblzma
        rm -rf "$place/licenses"
        cp -r "$place/prefix/licenses" "$place/prefix/versions" "$place"
}

# The image has the hash of its content in place of a time, and the name of its PDB without a folder.
configure() {
        local links='-static -Wl,--pdb=,-Xlink=-Brepro,-Xlink=-pdbaltpath:%_PDB%'
        meson setup "$place/build" --cross-file cross/windows-clang.ini --cross-file "$place/prefix.ini" --buildtype=release \
                -Ddebug=true -Dzlib=enabled -Dzstd=enabled -Dlzma=enabled -Dc_link_args="$links"
}

build_libraries
[ -f "$place/build/build.ninja" ] || configure
ninja -C "$place/build" -j "${JOBS:-$(nproc)}"
cp "$place"/build/src/program/cli/wperf.{exe,pdb} "$place"
packaging/check_windows.py "$place/wperf.exe" "$place/wperf.pdb"
if [ "$target" = aarch64-w64-mingw32 ]; then
        driver/wdm/build.sh "$place/wdm"
        cp "$place"/build/driver/devgen/wperf-{devgen,prove}.{exe,pdb} "$place"/wdm/wperfdriver-2.{sys,pdb,inf} "$place"
        packaging/check_windows.py "$place/wperf-devgen.exe" "$place/wperf-devgen.pdb"
        packaging/check_windows.py "$place/wperf-prove.exe" "$place/wperf-prove.pdb"
        packaging/check_windows.py "$place/wperfdriver-2.sys" "$place/wperfdriver-2.pdb"
fi
