#!/bin/sh
# sign.sh FILE.sys [CERTIFICATE.pem KEY.pem]: signs a driver in place, and verifies the signature. If FILE.inf is beside it, makes and
# signs FILE.cat, the catalogue of both, and verifies both by it. Without a certificate it makes one for tests, wperf-test.pem with the key wperf-test.key and, for Windows, wperf-test.cer, in the folder of the driver, or takes those
# that are there. A driver that is signed so is loaded in test mode only: docs/windows-driver.md.
# Needs: osslsigncode openssl; for a catalogue also python3-asn1crypto.
set -eu
file=${1:?usage: sign.sh FILE.sys [CERTIFICATE.pem KEY.pem]}
folder=$(dirname "$file")
certificate=${2-$folder/wperf-test.pem}
key=${3-$folder/wperf-test.key}
if [ $# -eq 1 ] && [ ! -f "$certificate" ]; then
        (umask 077; openssl req -x509 -newkey rsa:2048 -sha256 -nodes -days 3650 -subj "/CN=wperf test certificate" \
                -addext "extendedKeyUsage=codeSigning" -addext "keyUsage=digitalSignature" -keyout "$key" -out "$certificate" 2>/dev/null)
        openssl x509 -in "$certificate" -outform DER -out "${certificate%.pem}.cer"
fi

# verified WHAT [verify options]
verified() {
        what=$1
        shift
        osslsigncode verify -CAfile "$certificate" "$@" >/dev/null && return
        echo "sign.sh: the signature of $what is not valid" >&2
        exit 1
}

# signed FILE: in place
signed() {
        rm -f "$1.signed"
        osslsigncode sign -certs "$certificate" -key "$key" -h sha256 -n "wperf driver" -in "$1" -out "$1.signed" >/dev/null
        verified "$1" -in "$1.signed"
        mv "$1.signed" "$1"
}

signed "$file"
inf=${file%.sys}.inf
catalogue=${file%.sys}.cat
[ -f "$inf" ] || exit 0
here=$(dirname "$0")
# Of Debian, which has python3-asn1crypto.
/usr/bin/python3 "$here/make_catalogue.py" "$catalogue" "${SOURCE_DATE_EPOCH:-$(date +%s)}" "$inf" "$file"
signed "$catalogue"
verified "$file by its catalogue" -catalog "$catalogue" -in "$file"
/usr/bin/python3 "$here/check_catalogue.py" "$catalogue" "$inf" "$file"
