wperf --explain wperf detect --json
