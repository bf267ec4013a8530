cp "$GOLDEN/../replay/calls.data" .
wperf export -i calls.data --format pprof --inverted
wperf export -i calls.data --format svg --weights
wperf export -i calls.data --format firefox --kinds
