#!/bin/bash
# build_module.sh DIR   Builds fakepmu.ko for the guest's kernel, with the headers that fetch.sh put into DIR, at
# DIR/module/fakepmu.ko; does nothing when that is newer than its source.  Needs gcc-aarch64-linux-gnu and make.

set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
source=$(realpath "$(dirname "$0")")/fakepmu.c
module=$(realpath "${1:?usage: build_module.sh DIR}")/module
headers=$(realpath "$1/headers/build")

[ "$module/fakepmu.ko" -nt "$source" ] && [ "$module/fakepmu.ko" -nt "$1/fetched" ] && exit 0
rm -rf "$module"
mkdir "$module"
cp "$source" "$module"
echo 'obj-m := fakepmu.o' >"$module/Makefile"
make -s -C "$headers" M="$module" CROSS_COMPILE=aarch64-linux-gnu- DEB_HOST_GNU_TYPE=aarch64-linux-gnu \
        DEB_BUILD_ARCH=amd64 DEB_HOST_ARCH=arm64 modules
