wperf help check
