#!/bin/bash
# package_windows.sh [TARGET]...   Builds wperf for other people's Windows machines, on Debian 12: zip files of the program and of its
# debug information for ARM64 and x86-64, with a bill of materials and checksums, in build/package/dist, beside the packages of
# tools/package_linux.sh.  TARGET is aarch64-w64-mingw32 or x86_64-w64-mingw32.  packaging/README.md tells how it is done.
#
# The same commit gives the same bytes, in any folder and at any time.  JOBS=N: compilers at a time.

set -eu
cd "$(dirname "$0")/.."
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TZ=UTC PYTHONDONTWRITEBYTECODE=1
unset CC CXX CFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PYTHONPATH
umask 022
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH
all=(aarch64-w64-mingw32 x86_64-w64-mingw32)
targets=("${@:-${all[@]}}")

tools/need_packages.sh clang-14 lld-14 llvm-14 meson ninja-build pkg-config python3 dpkg-dev make bzip2 xz-utils util-linux mingw-w64-common

# clang and lld write their command lines into debug information.  So the project is built at the same path everywhere: in a mount
# namespace, which ends with this script.
place=/usr/src/wperf
if [ "$PWD" != $place ]; then
        namespace=(--mount --propagation private)
        [ "$(id -u)" -eq 0 ] || namespace+=(--user --map-root-user)
        if unshare "${namespace[@]}" true 2>/dev/null; then
                exec unshare "${namespace[@]}" bash -euc 'mount -t tmpfs none /usr/src; mkdir "$1"; mount --bind . "$1"; cd "$1"
                        shift; exec tools/package_windows.sh "$@"' place $place "${targets[@]}"
        fi
        echo "package_windows.sh: no mount namespace here: the debug information will contain $PWD" >&2
fi

work=$PWD/build/package
for target in "${targets[@]}"; do
        mkdir -p "$work/$target"
        if ! packaging/build_windows.sh "$work" "$target" >"$work/$target/log" 2>&1 </dev/null; then
                tail -n 30 "$work/$target/log" >&2
                echo "package_windows.sh: building for $target failed; $work/$target/log has the rest" >&2
                exit 1
        fi
done
packaging/make_windows.py "$work" "${targets[@]}"
