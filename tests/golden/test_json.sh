wperf test --json
