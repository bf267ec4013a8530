#!/bin/sh
# Makes every file in this folder again, here.  Debian 12: gcc 12.2, binutils 2.40, clang, lld and llvm 14.0.6, dwz
# 0.15, gcc-aarch64-linux-gnu 12.2.  Run it in this folder; the files are checked in.
set -eu
cd "$(dirname "$0")"
rm -f ./*.so ./*.dwo ./*.dwp ./*.answers ./*.labels ./*.debug

map="-ffile-prefix-map=$PWD=/src"
small="-Wl,-z,noseparate-code,-z,max-page-size=4096,-z,norelro"
flags="-O2 -g $map -nostdlib -shared -fPIC -fvisibility=hidden -fno-stack-protector $small"

# Without a symbol table, so that names can only come from the debug information.
finish() {
        "${2-objcopy}" --strip-all --keep-section='.debug*' --remove-section='.comment' "$1"
}

for version in 2 3 4 5; do
        gcc $flags -fcf-protection=none -gdwarf-$version -gstrict-dwarf -o gcc$version.so one.c two.c
        finish gcc$version.so
done
gcc $flags -fcf-protection=none -gdwarf-5 -gdwarf64 -o gcc5-64.so one.c two.c
finish gcc5-64.so
gcc $flags -fcf-protection=none -gdwarf-5 -gz=zlib -o gcc5-zlib.so one.c two.c
finish gcc5-zlib.so
aarch64-linux-gnu-gcc $flags -gdwarf-5 -o arm64.so one.c two.c
finish arm64.so aarch64-linux-gnu-objcopy
g++ $flags -fcf-protection=none -gdwarf-5 -fno-exceptions -fno-rtti -o cxx.so cxx.cc
finish cxx.so

# Labels with and without addresses, a function in two parts, abstract origins in another unit.
gcc $flags -O0 -fcf-protection=none -gdwarf-4 -o labels0.so labels.c
gcc $flags -fcf-protection=none -gdwarf-5 -o labels2.so labels.c
gcc $flags -fcf-protection=none -gdwarf-5 -flto -ffat-lto-objects -Wl,-u,interpret -fvisibility=default -o labels-lto.so labels.c
clang-14 -fuse-ld=lld -O1 -g -gdwarf-5 $map -nostdlib -shared -fPIC -Wl,-z,max-page-size=4096 -o labels-clang.so labels.c
for name in labels0 labels2 labels-lto labels-clang; do
        finish $name.so
        ./labels.py $name.so > $name.labels
done

# No .debug_aranges; indexes into .debug_str_offsets, .debug_addr and .debug_rnglists; sections dropped by the linker.
clang="clang-14 -fuse-ld=lld -O2 -g $map -nostdlib -shared -fPIC -fvisibility=hidden -ffunction-sections -Wl,--gc-sections,-z,max-page-size=4096"
$clang -gdwarf-5 -Wl,-u,twice,-u,is_far,-e,twice -o clang5.so one.c two.c
finish clang5.so
$clang -gdwarf-4 -Wl,-u,twice,-e,twice -o clang4.so one.c two.c
finish clang4.so

# The entries in .dwo files beside the program, or in a package of them.  llvm-symbolizer 14 misses ranges in them: the
# answers are of the same program in one piece.
split_link() {
        gcc -nostdlib -shared -fvisibility=hidden $small -o $1.so $1-one.o $1-two.o
        finish $1.so
        rm -f $1-one.o $1-two.o
}
split() {
        name=$1
        shift
        for part in one two; do
                "$@" -O2 -g $map -fPIC -fvisibility=hidden -fno-stack-protector -c -o $name-$part.o $part.c
        done
        split_link $name
        ./answers.py $name.so > $name.answers
        objcopy -O binary -j .text $name.so text.bin
        for part in one two; do
                "$@" -O2 -g $map -gsplit-dwarf -fPIC -fvisibility=hidden -fno-stack-protector -c -o $name-$part.o $part.c
        done
        split_link $name
        objcopy -O binary -j .text $name.so split-text.bin
        cmp text.bin split-text.bin
        rm text.bin split-text.bin
}
split split4 gcc -gdwarf-4 -fcf-protection=none
split split5 clang-14 -gdwarf-5
split package5 gcc -gdwarf-5 -fcf-protection=none
llvm-dwp-14 -o package5.so.dwp package5-one.dwo package5-two.dwo
split package4 clang-14 -gdwarf-4
dwp -o package4.so.dwp package4-one.dwo package4-two.dwo
rm package?-*.dwo

# A program that is its own package, for the fuzzer.
for version in 4 5; do
        cp package$version.so own-package$version.so
        for section in .debug_info.dwo .debug_abbrev.dwo .debug_str.dwo .debug_str_offsets.dwo .debug_rnglists.dwo .debug_cu_index; do
                objcopy --dump-section $section=section.bin package$version.so.dwp copy.bin 2>/dev/null
                rm -f copy.bin
                [ -f section.bin ] || continue
                objcopy --add-section $section=section.bin own-package$version.so
                rm section.bin
        done
done

# What two files share, in a third one (.gnu_debugaltlink).
for name in dwz1 dwz2; do
        gcc $flags -fcf-protection=none -gdwarf-5 -Wl,--build-id=sha1 -o $name.so one.c two.c
        finish $name.so
done
cp dwz1.so answer-dwz.so
dwz -m dwz.debug -M dwz.debug dwz1.so dwz2.so
rm -f dwz2.so

for file in *.so; do
        case $file in
        # llvm-symbolizer 14 does not read .gnu_debugaltlink: the answers are of the file before dwz.
        dwz1.so) ;;
        labels*.so | split*.so | *package*.so) ;;
        answer-dwz.so) ./answers.py $file > dwz1.answers ;;
        *) ./answers.py $file > "${file%.so}.answers" ;;
        esac
done
rm -f answer-dwz.so
