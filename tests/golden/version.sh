wperf --version
