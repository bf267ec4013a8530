#!/bin/sh
# library_races.sh BUILD   What threads may do with libwperf at the same time, in a build with the thread sanitizer: read several sessions,
# and stop a measurement of another thread.
set -eu
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
# gcc 12's sanitizer does not start on some kernels if addresses are random.
run=
setarch "$(uname -m)" -R true 2>/dev/null && run="setarch $(uname -m) -R"
export TSAN_OPTIONS=halt_on_error=1
$run "$build/tests/system/library_uses" threads "$root/tests/replay/archived_v1.data" "$root/tests/replay/calls.data"
$run "$build/tests/system/library_uses" stop sleep 60
