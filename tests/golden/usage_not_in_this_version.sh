wperf report -g
