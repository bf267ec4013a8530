wperf help nonsense
