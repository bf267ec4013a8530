wperf --version --json
