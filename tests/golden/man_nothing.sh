wperf man
