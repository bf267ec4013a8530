#!/bin/bash
# install.sh   Finds wperf for this action and writes wperf=PATH to $GITHUB_OUTPUT: the program INPUT_WPERF, else the one in PATH,
# else that of the release INPUT_VERSION (v0.2.0) of ACTION_REPOSITORY, which is downloaded and compared with its checksum.

set -eu

fail() {
        echo "::error::wperf: $1" >&2
        exit 1
}

download() {
        curl --fail --silent --show-error --location --retry 3 --output "$2" "$1" || fail "$1 cannot be downloaded"
}

install_release() {
        local tag=${INPUT_VERSION-} machine folder archive releases
        case $(uname -s)-$(uname -m) in
        Linux-x86_64) machine=x86_64 ;;
        Linux-aarch64) machine=arm64 ;;
        *) fail "there are no packages for $(uname -s) on $(uname -m)" ;;
        esac
        [[ $tag =~ ^v[0-9][A-Za-z0-9.+-]*$ ]] ||
                fail "no wperf in PATH, and '$tag' is not the tag of a release; set the input 'version' or 'wperf'"
        releases=${WPERF_RELEASES-${GITHUB_SERVER_URL-https://github.com}/${ACTION_REPOSITORY-}/releases/download}
        archive=wperf-${tag#v}-$machine.tar.gz
        folder=${RUNNER_TEMP:-/tmp}/wperf-$tag
        mkdir -p "$folder"
        download "$releases/$tag/SHA256SUMS" "$folder/SHA256SUMS"
        download "$releases/$tag/$archive" "$folder/$archive"
        (cd "$folder" && grep "  $archive\$" SHA256SUMS | sha256sum --check --quiet) ||
                fail "$archive does not have the checksum that the release names"
        tar -xzf "$folder/$archive" -C "$folder"
        program=$folder/${archive%.tar.gz}/wperf
}

if [ -n "${INPUT_WPERF-}" ]; then
        program=$INPUT_WPERF
else
        program=$(command -v wperf) || install_release
fi
"$program" --version || fail "$program does not run"
echo "wperf=$program" >>"$GITHUB_OUTPUT"
