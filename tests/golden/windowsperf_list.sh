wperf --explain wperf list
