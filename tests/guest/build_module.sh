#!/bin/bash
# build_module.sh DIR   Builds fakepmu.ko and fakespe.ko for the guest's kernel, with the headers that fetch.sh put into DIR, in
# DIR/module; does nothing when they are newer than their sources.  Needs gcc-aarch64-linux-gnu and make.

set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
folder=$(realpath "$(dirname "$0")")
module=$(realpath "${1:?usage: build_module.sh DIR}")/module
headers=$(realpath "$1/headers/build")

is_newer() {
        [ "$module/$1.ko" -nt "$folder/$1.c" ] && [ "$module/$1.ko" -nt "$2/fetched" ]
}

is_newer fakepmu "$1" && is_newer fakespe "$1" && exit 0
rm -rf "$module"
mkdir "$module"
cp "$folder/fakepmu.c" "$folder/fakespe.c" "$module"
echo 'obj-m := fakepmu.o fakespe.o' >"$module/Makefile"
make -s -C "$headers" M="$module" CROSS_COMPILE=aarch64-linux-gnu- DEB_HOST_GNU_TYPE=aarch64-linux-gnu \
        DEB_BUILD_ARCH=amd64 DEB_HOST_ARCH=arm64 modules
