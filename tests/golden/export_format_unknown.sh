wperf export --format flamegraph
