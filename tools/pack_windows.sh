#!/bin/bash
# pack_windows.sh   Builds wperf and its tests for Windows, on Debian 12, and puts them into build/windows-tests, for a Windows
# machine: `python tools/run_tests.py windows-tests/arm64` runs those for ARM64, windows-tests/x86_64 has those for x86-64, which
# Windows on Arm runs too.  JOBS=N: compilers at a time.

set -eu
cd "$(dirname "$0")/.."
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
unset CC CXX CFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PYTHONPATH
jobs=${JOBS:-$(nproc)}
codecs=(-Dzlib=enabled -Dzstd=enabled -Dlzma=enabled)
trapping=-Dc_args='-fsanitize=undefined -fsanitize-undefined-trap-on-error'
arm64=$PWD/build/arm64-windows-crt

# build DIR [setup arguments]
build() {
        local dir=$1
        shift
        [ -f "$dir/build.ninja" ] || meson setup "$dir" "$@" "${codecs[@]}"
        ninja -C "$dir" -j "$jobs" ${targets-}
}

tools/need_packages.sh gcc libc6-dev meson ninja-build pkg-config python3 zlib1g-dev libzstd-dev liblzma-dev \
        gcc-mingw-w64-x86-64-win32 libz-mingw-w64-dev clang-14 lld-14 llvm-14 dpkg-dev make bzip2 xz-utils
cross/mingw-libs.sh build/mingw-libs
build build/windows --cross-file cross/x86_64-w64-mingw32.ini --cross-file build/mingw-libs/prefix.ini "$trapping" -Dtests=true
cross/windows_crt.sh "$arm64" aarch64-w64-mingw32
CC=$arm64/cc RC=$arm64/windres AR=llvm-ar-14 RANLIB=llvm-ranlib-14 \
        cross/codec_libs.sh "$arm64" aarch64-w64-mingw32 zlib libzstd liblzma
build build/windows-arm64 --cross-file cross/windows-clang.ini --cross-file "$arm64/prefix.ini" "$trapping -gcodeview" -Dtests=true
# What the same source prints on Linux is what is expected.
targets=src/program/cli/wperf build build/windows-expected
tools/pack_windows.py build/windows build/windows-expected/src/program/cli/wperf build/windows-tests/x86_64
tools/pack_windows.py build/windows-arm64 build/windows-expected/src/program/cli/wperf build/windows-tests/arm64
