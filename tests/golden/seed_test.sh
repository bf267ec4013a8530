wperf --explain wperf test
