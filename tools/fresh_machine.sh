#!/bin/bash
# fresh_machine.sh FOLDER COMMAND...   Runs COMMAND in this project's last commit on a new Debian 12: a debootstrap minbase
# FOLDER, made when it is not there, with /proc, /sys and /dev.  As root, on Debian or Ubuntu.  The folder becomes
# the root by pivot_root, not chroot, in which the kernel allows no user namespaces and no mounts of its own to the tests.
# Its mounts end with it.  Example: tools/fresh_machine.sh /var/tmp/fresh ./check

set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=$(realpath -m "$1")
shift
"$(dirname "$0")/need_packages.sh" debootstrap debian-archive-keyring git
project=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)

if [ ! -d "$root/usr" ]; then
        debootstrap --variant=minbase bookworm "$root" >"$root.log" 2>&1 || { tail -n 20 "$root.log" >&2; exit 1; }
        # the same sources as here
        cp /etc/apt/sources.list.d/debian.sources "$root/etc/apt/sources.list.d/" 2>/dev/null &&
                rm -f "$root/etc/apt/sources.list"
        cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
fi
rm -rf "$root/project"
git clone -q "$project" "$root/project"

exec unshare --mount --propagation private bash -c '
        root=$1
        shift
        mount --bind "$root" "$root"
        for place in proc sys dev; do mount --rbind "/$place" "$root/$place"; done
        cd "$root"
        mkdir -p old
        pivot_root . old
        umount -l /old
        cd /project
        exec env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
' fresh "$root" "$@"
