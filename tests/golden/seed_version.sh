wperf --explain wperf --version
