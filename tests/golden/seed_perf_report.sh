wperf --explain perf report -g
