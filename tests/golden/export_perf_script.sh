wperf export -i "$GOLDEN/../replay/every_kind.data" --format perf-script
