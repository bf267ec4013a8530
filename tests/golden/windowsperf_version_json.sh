wperf --explain wperf --version --json
