wperf --explain wperf test --config count.period=13
