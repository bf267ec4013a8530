cp "$GOLDEN/../replay/calls.data" .
wperf report -i calls.data --comm nope
wperf report -i calls.data --module libnope.so --json
wperf annotate -i calls.data --pid 4294967295
wperf report -i - --comm nope < calls.data
wperf export -i calls.data --format folded --time 1000000,
