wperf --help
