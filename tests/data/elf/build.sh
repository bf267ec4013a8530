#!/bin/sh
# Makes every file in this folder and in debug/ again, here.  Debian 12: gcc 12.2, binutils 2.40, clang and lld
# 14.0.6, xz 5.4.1, gcc-aarch64-linux-gnu 12.2.  Run it in this folder; the files are checked in.
set -eu
cd "$(dirname "$0")"
rm -rf debug .debug wrong ./*.so ./*.exe ./*.debug

flags="-O2 -g1 -nostdlib -fno-stack-protector -fcf-protection=none -ffile-prefix-map=$PWD=."
gcc $flags -shared -fPIC -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o names.so names.c
aarch64-linux-gnu-gcc -Wl,-z,max-page-size=4096 -O2 -nostdlib -shared -fPIC -Wl,--build-id=sha1 -o names-arm64.so names.c
objcopy --compress-debug-sections=zlib names.so names-zlib.so
objcopy --compress-debug-sections=zlib-gnu names.so names-zdebug.so

# Names only by .eh_frame and .dynsym; the rest in a debug file, found by build id.
strip -o names-stripped.so names.so
mkdir -p debug/.build-id/01
objcopy --only-keep-debug --compress-debug-sections=zlib names.so \
        debug/.build-id/01/23456789abcdef0123456789abcdef01234567.debug

# The same by .gnu_debuglink, without a build id.
gcc $flags -shared -fPIC -Wl,--build-id=none -o names-link.so names.c
mkdir -p .debug
objcopy --only-keep-debug names-link.so .debug/names-link.debug
strip names-link.so
(cd .debug && objcopy --add-gnu-debuglink=names-link.debug ../names-link.so)

# MiniDebugInfo: .gnu_debugdata has the functions that .dynsym lacks.
nm -D names.so --format=posix --defined-only | awk '{ print $1 }' | sort > dynamic.txt
nm names.so --format=posix --defined-only | awk '$2 ~ /[Tt]/ { print $1 }' | sort > functions.txt
comm -13 dynamic.txt functions.txt > keep.txt
objcopy --only-keep-debug names.so mini.debug
objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=keep.txt mini.debug
xz --check=crc32 mini.debug
gcc $flags -shared -fPIC -Wl,--build-id=sha1 -o names-mini.so names.c
strip names-mini.so
objcopy --add-section .gnu_debugdata=mini.debug.xz names-mini.so
rm -f dynamic.txt functions.txt keep.txt mini.debug.xz

# Procedure linkage tables: lazy, bound at start (.plt.got), with CET (.plt.sec), and AArch64 plain and BTI.
gcc $flags -pie -fPIE -fplt -Wl,-z,lazy -o caller.exe caller.c names.so
gcc $flags -pie -fPIE -Wl,-z,now -o caller-now.exe caller.c names.so
gcc $flags -no-pie -fno-pie -fcf-protection=full -Wl,-z,lazy -Wl,-z,ibtplt -o caller-ibt.exe caller.c names.so
aarch64-linux-gnu-gcc -Wl,-z,max-page-size=4096 -O2 -nostdlib -pie -fPIE -o caller-arm64.exe caller.c names-arm64.so
aarch64-linux-gnu-gcc -Wl,-z,max-page-size=4096 -O2 -nostdlib -pie -fPIE -mbranch-protection=standard -Wl,-z,force-bti,-z,pac-plt \
        -o caller-arm64-bti.exe caller.c names-arm64.so
strip caller-now.exe

# 32 bits, the other byte order, and a file that was not linked.
sed 's/, ifunc("resolve_picked")//; s/__attribute__((ifunc("resolve_picked")))//; s/+$/+ 0 +/; s/picked();/0;/' \
        names.c > plain.c
clang-14 --target=mips-linux-gnu -O1 -fPIC -c -o plain-mips.o plain.c
ld.lld -shared -o names-big32.so plain-mips.o
gcc $flags -fPIC -c -ffunction-sections -o names.o names.c
rm -f plain.c plain-mips.o mini.debug

# Nothing but what .eh_frame knows.
gcc $flags -shared -fPIC -fvisibility=hidden -Wl,--build-id=none -Wl,--no-eh-frame-hdr -o frames-only.so names.c
strip frames-only.so

# A debug file of that name, but of another build.
mkdir wrong
cp names-big32.so wrong/names-link.debug

# Mangled names.
g++ $flags -g0 -shared -fPIC -Wl,--build-id=sha1 -o cxx.so cxx.cc

# Functions that read the same, and pieces of one.
gcc -shared -nostdlib -Wl,--build-id=none -Wl,-z,noseparate-code -o overloads.so overloads-one.s overloads-two.s

# Small ones, from which a fuzzer gets further.
small="-O2 -nostdlib -fno-stack-protector \
        -Wl,-z,noseparate-code,-z,norelro,-z,max-page-size=64,--build-id=none"
seeds=../../fuzz/corpus/elf
gcc $small -no-pie -fno-pie -fcf-protection=full -Wl,-z,lazy,-z,ibtplt -s -o $seeds/small-cet caller.c names.so
gcc $small -pie -fPIE -Wl,-z,now -o $seeds/small-now caller.c names.so
gcc $small -shared -fPIC -fcf-protection=none -o $seeds/small-names names.c
aarch64-linux-gnu-gcc $small -pie -fPIE -o $seeds/small-arm64 caller.c names-arm64.so
strip -R .comment -R .note.gnu.property $seeds/small-cet
strip --strip-debug -R .comment -R .note.gnu.property $seeds/small-now $seeds/small-names
aarch64-linux-gnu-strip --strip-debug -R .comment $seeds/small-arm64
