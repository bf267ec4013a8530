#!/bin/sh
# build.sh DIR: builds the driver for Windows on Arm64: DIR/wperfdriver-2.sys, its debug information, DIR/wperfdriver-2.pdb, and
# DIR/wperfdriver-2.inf, which has the version of this source. SOURCE_DATE_EPOCH is the date in it (default: that of the commit).
# BLOCKS has files of PMU blocks of your own, besides those of driver/blocks.
# Needs: clang-14 lld-14 llvm-14 mingw-w64-common python3.
set -eu
export LC_ALL=C.UTF-8
dir=${1:?usage: build.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
driver=$(dirname "$here")
root=$(dirname "$driver")
include=/usr/share/mingw-w64/include
version=$("$root/tools/version.sh" 0.2.0)
git_version=$("$root/tools/git_version.sh")
date=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CHANGELOG.md")}
mkdir -p "$dir/objects"
dir=$(cd "$dir" && pwd)

"$here/repair_headers.sh" "$dir/ddk"
for kind in registers sysregs; do
        # shellcheck disable=SC2086
        python3 "$root/tools/gen_blocks.py" "$kind" "$dir/block_$kind.c" "$driver"/blocks/*.block ${BLOCKS-}
done

# An interrupt saves only some of the floating-point registers: the driver uses none.
compile() {
        clang-14 --target=aarch64-w64-mingw32 -nostdlibinc -std=gnu11 -O2 -g -gcodeview -fasynchronous-unwind-tables -fseh-exceptions \
                -fno-omit-frame-pointer -fms-extensions -ffreestanding -fno-builtin -fno-stack-protector -mno-stack-arg-probe \
                -mgeneral-regs-only -Wall -Wextra -Werror -Wno-missing-field-initializers -D_WIN32_WINNT=0x0a00 \
                -DDRIVER_VERSION="\"$version\"" -DDRIVER_GIT="\"$git_version\"" -ffile-compilation-dir=. -ffile-prefix-map=root/= \
                -Iroot/driver/wdm -Iroot/driver -Iroot/driver/core -Iroot/driver/hw -isystem ddk -isystem "$include/ddk" \
                -isystem "$include" -c "$1" -o "$2"
}

# Objects contain the compiler's command line, so it has no path of this machine.
rm -f "$dir"/objects/*
cd "$dir"
ln -sfn "$root" root
for source in root/driver/wdm/*.c root/driver/core/*.c root/driver/hw/register_access.c block_*.c; do
        compile "$source" "objects/$(basename "$source" .c).o"
done
rm root
for library in ntoskrnl hal; do
        llvm-dlltool-14 -m arm64 -d "$here/$library.def" -l "$dir/$library.lib"
done
# The image has no date (Brepro) and no path of this machine.
lld-link-14 /driver /subsystem:native,10.0 /entry:DriverEntry /machine:arm64 /nodefaultlib /Brepro /debug \
        /pdb:wperfdriver-2.pdb /pdbaltpath:wperfdriver-2.pdb /pdbsourcepath:. /out:wperfdriver-2.sys objects/*.o ntoskrnl.lib hal.lib
python3 "$here/set_checksum.py" wperfdriver-2.sys
python3 "$here/stamp_inf.py" "$here/wperfdriver-2.inf" wperfdriver-2.inf "$version" "$date"
python3 "$here/check_inf.py" wperfdriver-2.inf "$version"
