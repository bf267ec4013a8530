#!/bin/bash
# package_linux.sh [PART]...   Builds wperf for other people's Linux machines, on Debian 12: archives, .deb packages, Python wheels
# and npm packages for x86-64 and arm64, with a bill of materials and checksums, in build/package/dist.  PART is one of
# x86_64-linux-gnu, aarch64-linux-gnu and x86_64-linux-musl: only what belongs to it.  packaging/README.md tells how it is done.
#
# The same commit gives the same bytes, in any folder and at any time.  JOBS=N: compilers at a time.

set -eu
cd "$(dirname "$0")/.."
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TZ=UTC PYTHONDONTWRITEBYTECODE=1
unset CC CXX CFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PYTHONPATH
umask 022
work=$PWD/build/package
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH
all=(x86_64-linux-gnu aarch64-linux-gnu x86_64-linux-musl)
targets=("${@:-${all[@]}}")

tools/need_packages.sh gcc-12 gcc-12-aarch64-linux-gnu libc6-dev-arm64-cross musl-tools clang-14 libbpf-dev qemu-user meson ninja-build pkg-config \
        python3 dpkg-dev make xz-utils

for target in "${targets[@]}"; do
        mkdir -p "$work/$target"
        if ! packaging/build_target.sh "$work" "$target" >"$work/$target/log" 2>&1 </dev/null; then
                tail -n 30 "$work/$target/log" >&2
                echo "package_linux.sh: building for $target failed; $work/$target/log has the rest" >&2
                exit 1
        fi
done
packaging/make_packages.py "$work" "${targets[@]}"
