wperf help sample | head -5
