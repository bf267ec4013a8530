wperf --explain wperf test --json
