wperf --explain wperf -l
