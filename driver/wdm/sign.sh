#!/bin/sh
# sign.sh FILE.sys [CERTIFICATE.pem KEY.pem]: signs a driver in place, and verifies the signature. Without a certificate it makes
# one for tests, wperf-test.pem with the key wperf-test.key and, for Windows, wperf-test.cer, in the folder of the driver, or takes those
# that are there. A driver that is signed so is loaded in test mode only: docs/windows-driver.md.
# Needs: osslsigncode openssl.
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
rm -f "$file.signed"
osslsigncode sign -certs "$certificate" -key "$key" -h sha256 -n "wperf driver" -in "$file" -out "$file.signed" >/dev/null
osslsigncode verify -CAfile "$certificate" -in "$file.signed" >/dev/null || {
        echo "sign.sh: the signature of $file is not valid" >&2
        exit 1
}
mv "$file.signed" "$file"
