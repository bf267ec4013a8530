#!/bin/bash
# need_packages.sh [--say] PACKAGE...   Sees to it that Debian packages are there; does nothing when they are.
# --say installs nothing and names what is missing.  A package of another architecture is written NAME:ARCH.

set -u
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin
say=false
if [ "${1-}" = --say ]; then
        say=true
        shift
fi

if ! command -v dpkg-query >/dev/null; then
        echo "this is no Debian system; what is needed: $*" >&2
        exit 1
fi
native=$(dpkg --print-architecture)

is_there() {
        local arch=$native
        [ "${1#*:}" = "$1" ] || arch=${1#*:}
        dpkg-query -W -f '${db:Status-Status} ${Architecture}\n' "${1%:*}" 2>/dev/null |
                grep -qxE "installed ($arch|all)"
}

missing=()
for package in "$@"; do
        is_there "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if $say || [ "$(id -u)" -ne 0 ]; then
        echo "missing packages; install them as root with: apt-get install ${missing[*]}" >&2
        exit 1
fi

for package in "${missing[@]}"; do
        arch=${package##*:}
        if [ "$arch" != "$package" ] && ! dpkg --print-foreign-architectures | grep -qx "$arch"; then
                dpkg --add-architecture "$arch" || exit 1
        fi
done
echo "installing: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
options=(-qq -o Acquire::Retries=3 -o Dpkg::Use-Pty=0)
apt-get update "${options[@]}" >"$log" 2>&1 </dev/null ||
        echo "apt-get update failed; trying with the lists that are there" >&2
install() {
        apt-get install -y --no-install-recommends "${options[@]}" "$@" "${missing[@]}" >>"$log" 2>&1 </dev/null
}
install && exit 0
tail -n 20 "$log" >&2
# For some hours after an update of security its lists may name files that a mirror does not have yet.
echo "trying the versions of the release itself" >&2
install -t "$(. /etc/os-release && echo "$VERSION_CODENAME")" && exit 0
tail -n 20 "$log" >&2
exit 1
