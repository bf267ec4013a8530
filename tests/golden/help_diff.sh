wperf help diff
