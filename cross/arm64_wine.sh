#!/bin/bash
# arm64_wine.sh DIR   Unpacks Debian's wine for arm64 in DIR, to run arm64 Windows programs under qemu-user on another machine:
# DIR/wine PROGRAM ARGUMENT..., and DIR/wineserver -k at the end.  The prefix is DIR/prefix.  What is there already stays.
# It needs no root, no mounts and no binfmt_misc: qemu looks up files in DIR/root first (-L), and scripts start qemu where wine
# executes arm64 programs of its own.
# Needs: qemu-user.  The machine's own apt lists stay as they are.

set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
. "$(dirname "$0")/debian_archive.sh"
mkdir -p "${1:?usage: arm64_wine.sh DIR}"
dir=$(realpath "$1")
root=$dir/root
programs=$root/usr/lib/wine
libraries=$root/usr/lib/aarch64-linux-gnu/wine

# The dependencies of the packages are left out, except the libraries that a program without windows loads.
unpack() {
        rm -rf "$root"
        mkdir -p "$root"
        debian_archive_open "$dir/apt" deb "bookworm bookworm-updates bookworm-security" arm64
        debian_archive_unpack "$root" wine64 libwine libc6 libgcc-s1 libunwind8 liblzma5
        rm -rf "$dir/apt" "$libraries"/{i386,x86_64}-windows
}

# write_script FILE LINE...
write_script() {
        local file=$1
        shift
        printf '%s\n' '#!/bin/sh' "$@" >"$file"
        chmod +x "$file"
}

# wine starts itself by the program wine64-preloader, which gets wine64 as its first argument, and the server by the program
# wineserver; both are in the folder of wine64.  explorer, wine's desktop, is disabled: with a FreeType, but without a window system, it
# starts itself again and again.
write_scripts() {
        local qemu="qemu-aarch64 -L '$root'"
        local settings="export WINEPREFIX='$dir/prefix' WINEDEBUG=\${WINEDEBUG--all} WINEDLLOVERRIDES='mscoree=d;mshtml=d;explorer.exe=d;'\$WINEDLLOVERRIDES"
        write_script "$programs/wine64-preloader" "exec $qemu \"\$@\""
        write_script "$programs/wineserver" "exec $qemu '$programs/wineserver64' \"\$@\""
        write_script "$dir/wine" "$settings" 'unset DISPLAY' "exec $qemu '$programs/wine64' \"\$@\""
        write_script "$dir/wineserver" "$settings" "exec '$programs/wineserver' \"\$@\""
}

[ -f "$dir/wine" ] || unpack
write_scripts
if [ ! -f "$dir/prefix/done" ]; then
        rm -rf "$dir/prefix"
        "$dir/wine" wineboot -i
        "$dir/wineserver" -w
        touch "$dir/prefix/done"
fi
# Below qemu, "/" is DIR/root for programs that look it up, so wine takes no file for one of its drive Z.
ln -sfn "$(realpath "$(dirname "$0")/..")" "$dir/prefix/dosdevices/y:"
ln -sfn "${TMPDIR:-/tmp}" "$dir/prefix/dosdevices/t:"
