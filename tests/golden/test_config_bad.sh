wperf test --cpu-model neoverse-n1 --config count.period=7,speed=1 | grep count.period
