wperf recrod
