wperf test --cpu-model neoverse-v2 -m Topdown_L1
