#!/bin/sh
# make_cabinet.sh DIR CERTIFICATE.pem KEY.pem: makes DIR/wperfdriver-2.cab, which Microsoft's attestation signing takes: the driver of DIR, its
# INF file, catalogue and PDB file, in a folder of the cabinet. Signs the driver, the catalogue and the cabinet: docs/windows-driver.md.
# Needs: gcab osslsigncode openssl python3-asn1crypto.
set -eu
usage="usage: make_cabinet.sh DIR CERTIFICATE.pem KEY.pem"
dir=$(cd "${1:?$usage}" && pwd)
certificate=$(realpath "${2:?$usage}")
key=$(realpath "${3:?$usage}")
name=wperfdriver-2
"$(dirname "$0")/sign.sh" "$dir/$name.sys" "$certificate" "$key"

# The cabinet has no file outside of a folder: Microsoft takes each folder for a driver.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/$name"
for end in sys inf cat pdb; do
        cp "$dir/$name.$end" "$stage/$name"
        chmod 644 "$stage/$name/$name.$end"
        touch -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" "$stage/$name/$name.$end"
done
rm -f "$dir/$name.cab"
(cd "$stage" && TZ=UTC gcab --create --zip "$name.cab" "$name/$name".*)
osslsigncode sign -certs "$certificate" -key "$key" -h sha256 -n "wperf driver" -in "$stage/$name.cab" -out "$stage/signed.cab" >/dev/null
osslsigncode verify -CAfile "$certificate" -in "$stage/signed.cab" >/dev/null || {
        echo "make_cabinet.sh: the signature of $dir/$name.cab is not valid" >&2
        exit 1
}
mv "$stage/signed.cab" "$dir/$name.cab"
