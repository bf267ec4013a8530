#!/bin/sh
# browser_races.sh BUILD   What the browser does while another thread reads a session, in a build with the thread sanitizer.
set -eu
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
# gcc 12's sanitizer does not start on some kernels if addresses are random.
run=
setarch "$(uname -m)" -R true 2>/dev/null && run="setarch $(uname -m) -R"
# The first report ends the program, also if it would leave without waiting for the other thread.
export TSAN_OPTIONS=halt_on_error=1 WPERF_KEYS="${WPERF_KEYS:-150}"
$run "$build/tests/unit/test_budget"
$run python3 "$root/tests/system/test_browser.py" "$build/src/program/cli/wperf" "$build" random_keys a_filter_changes
$run python3 "$root/tests/system/test_diff_browser.py" "$build/src/program/cli/wperf" "$build" random_keys takes_nothing
