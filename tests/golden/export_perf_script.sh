cp "$GOLDEN/../replay/every_kind.data" .
wperf export -i every_kind.data --format perf-script
