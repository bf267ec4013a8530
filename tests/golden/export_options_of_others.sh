cp "$GOLDEN/../replay/calls.data" .
wperf export -i calls.data --format pprof --root-at-bottom
wperf export -i calls.data --format svg --weights
wperf export -i calls.data --format firefox --kinds
