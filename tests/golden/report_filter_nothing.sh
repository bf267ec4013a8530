cp "$GOLDEN/../replay/calls.data" .
wperf report -i calls.data --comm nope
wperf report -i calls.data --module libnope.so --json
wperf annotate -i calls.data --pid 4294967295
wperf report -i - --comm nope < calls.data
wperf export -i calls.data --format folded --time 1000000,
wperf report -i calls.data --tid 99
wperf report -i calls.data --thread=99
wperf report -i calls.data --thread MainThread
wperf annotate -i calls.data -d libnope.so
cp "$GOLDEN/../replay/locks.data" .
wperf report --sort lock -i locks.data --time 5,6
