#!/bin/bash
# toolchain.sh DIR TARGET   What wperf is compiled with for other people's machines, into DIR/TARGET: a root of headers and
# start files, static libraries, and machine.ini, a Meson machine file.  TARGET is x86_64-linux-gnu, aarch64-linux-gnu or
# x86_64-linux-musl.  The first two get Debian 11's glibc 2.31 and its start files: the start files of glibc 2.34 and later run no
# constructors where glibc is older.  What is there already stays.

set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
here=$(realpath "$(dirname "$0")")
. "$here/../cross/debian_archive.sh"
mkdir -p "${1:?usage: toolchain.sh DIR TARGET}/$2"
dir=$(realpath "$1")
target=$2
place=$dir/$target
root=$place/root

case $target in
x86_64-linux-gnu | x86_64-linux-musl) architecture=amd64 tools=x86_64-linux-gnu cpu=x86_64 ;;
aarch64-linux-gnu) architecture=arm64 tools=aarch64-linux-gnu cpu=aarch64 ;;
*) echo "toolchain.sh: '$target' is not a target" >&2; exit 2 ;;
esac
compiler=$tools-gcc-12

# Debian 11 itself without its updates: it does not change any more.
fetch_root() {
        [ ! -f "$root/done" ] || return 0
        rm -rf "$root"
        mkdir -p "$root"
        debian_archive_open "$dir/apt-$architecture" deb bullseye "$architecture"
        debian_archive_unpack "$root" libc6 libc6-dev linux-libc-dev
        if [ $architecture = amd64 ]; then # the header alone: the library is loaded at run time
                debian_archive_unpack "$place/pfm" libpfm4-dev
                cp -r "$place/pfm/usr/include/perfmon" "$root/usr/include"
                rm -rf "$place/pfm"
                cp -r /usr/include/bpf "$root/usr/include" # Debian 11's libbpf is version 0
        fi
        # Its absolute links name files of this machine.
        find "$root" -type l -lname '/*' -printf '%p\t%l\n' |
                while IFS=$'\t' read -r link to; do ln -sfnr "$root$to" "$link"; done
        touch "$root/done"
}

# note_part NAME VERSION LICENCE: what else the linker takes into the program
note_part() {
        echo "$1 $2" >>"$place/versions"
        cp "$3" "$place/licenses/$1"
}

# versions has a line NAME VERSION for each library that is linked in, licenses/NAME what Debian says of its licence.
note_parts() {
        rm -rf "$place/licenses"
        cp -r "$place/prefix/licenses" "$place/licenses"
        cp "$place/prefix/versions" "$place/versions"
        if [ "$target" = x86_64-linux-musl ]; then
                note_part musl "$(dpkg-query -W -f '${Version}' musl-dev)" /usr/share/doc/musl-dev/copyright
        else
                note_part glibc "$(sed -n 's/^libc6-dev //p' "$root/packages")" "$root/usr/share/doc/libc6-dev/copyright"
        fi
        note_part libgcc "$(dpkg-query -W -f '${Version}' gcc-12-base:"$(dpkg --print-architecture)")" /usr/share/doc/gcc-12-base/copyright
}

# musl's compiler has no headers of the kernel.
link_kernel_headers() {
        mkdir -p "$place/kernel"
        ln -sfn "$root/usr/include/linux" "$place/kernel/linux"
        ln -sfn "$root/usr/include/asm-generic" "$place/kernel/asm-generic"
        ln -sfn "$root/usr/include/$tools/asm" "$place/kernel/asm"
        ln -sfn "$root/usr/include/perfmon" "$place/kernel/perfmon"
}

# The compiler's own folders come before those of --sysroot otherwise.
write_compiler() {
        local gcc_include usr=$root/usr
        gcc_include=$($compiler -print-file-name=include)
        if [ "$target" = x86_64-linux-musl ]; then
                link_kernel_headers
                echo "REALGCC=$compiler exec musl-gcc -idirafter '$place/kernel' \"\$@\""
        else
                echo "exec $compiler --sysroot='$root' -B'$usr/lib/$tools' -L'$usr/lib/$tools' -L'$root/lib/$tools' -nostdinc" \
                        "-isystem '$gcc_include' -isystem '$usr/include/$tools' -isystem '$usr/include' \"\$@\""
        fi | sed '1i #!/bin/sh' >"$place/cc"
        chmod +x "$place/cc"
}

check_start_files() {
        [ "$target" != x86_64-linux-musl ] || return 0
        [ "$("$place/cc" -print-file-name=crt1.o)" -ef "$root/usr/lib/$tools/crt1.o" ] && return
        echo "toolchain.sh: $compiler takes crt1.o from elsewhere than $root" >&2
        exit 1
}

write_machine() {
        cat <<INI
[binaries]
c = '$place/cc'
ar = '$tools-gcc-ar-12'
ranlib = '$tools-gcc-ranlib-12'
strip = '$tools-strip'
objcopy = '$tools-objcopy'
pkgconfig = 'pkg-config'
INI
        [ $cpu = "$(uname -m)" ] || echo "exe_wrapper = ['qemu-$cpu', '-L', '$root']"
        cat <<INI
[properties]
pkg_config_libdir = ['$place/prefix/lib/pkgconfig']
[host_machine]
system = 'linux'
cpu_family = '$cpu'
cpu = '$cpu'
endian = 'little'
INI
}

# The headers alone: the library is loaded at run time.  A static program can load none.
write_libbpf() {
        [ "$target" = x86_64-linux-gnu ] || return 0
        mkdir -p "$place/prefix/lib/pkgconfig"
        printf '%s\n' 'Name: libbpf' 'Description: headers of libbpf' "Version: $(pkg-config --modversion libbpf)" \
                >"$place/prefix/lib/pkgconfig/libbpf.pc"
}

fetch_root
write_compiler
check_start_files
write_machine >"$place/machine.ini"
CC=$place/cc AR=$tools-gcc-ar-12 RANLIB=$tools-gcc-ranlib-12 SOURCES=$dir/sources \
        CFLAGS="-O3 -g -fPIC -fstack-protector-strong -ffile-prefix-map=$place=/usr/src" \
        "$here/../cross/codec_libs.sh" "$place" "$target" zlib libdeflate libzstd liblzma
write_libbpf
note_parts
