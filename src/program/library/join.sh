#!/bin/bash
# join.sh OUT AR OBJCOPY CC... -- LIBRARY...   Makes a static library of one object, in which only the functions of wperf.h are global.

set -eu
out=$1 ar=$2 objcopy=$3 cc=()
shift 3
while [ "$1" != -- ]; do
        cc+=("$1")
        shift
done
shift
"${cc[@]}" -r -nostdlib -o "$out.o" -Wl,--whole-archive "$@" -Wl,--no-whole-archive
"$objcopy" --wildcard --keep-global-symbol='wperf_*' "$out.o"
rm -f "$out"
"$ar" rcsD "$out" "$out.o"
rm "$out.o"
