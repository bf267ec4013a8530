wperf --explain wperf list -v --json
