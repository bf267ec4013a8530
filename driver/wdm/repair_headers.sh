#!/bin/sh
# repair_headers.sh DIR: copies the headers for drivers of mingw-w64 into DIR, for ARM64. Those of mingw-w64 10 take ARM64 for a machine of 32 bits, and define
# two functions that other headers have.
# Needs: mingw-w64-common.
set -eu
dir=${1:?usage: repair_headers.sh DIR}
mkdir -p "$dir"
for header in wdm.h ntddk.h ntifs.h; do
        sed 's/^#elif defined(_M_ARM)$/#elif defined(_M_ARM) || defined(_M_ARM64)/
                s/^#if defined (_M_AMD64)$/#if defined (_M_AMD64) || defined(_M_ARM64)/
                s/^#if !defined(_AMD64_) && !defined(_IA64_)$/#if !defined(_AMD64_) \&\& !defined(_IA64_) \&\& !defined(_M_ARM64)/
                s/^InterlockedBitTestAnd\(Set\|Reset\)($/BitTestAnd\1InWdm(/' \
                "/usr/share/mingw-w64/include/ddk/$header" >"$dir/$header"
done
