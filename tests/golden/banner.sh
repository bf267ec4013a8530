wperf
