wperf list --cpu-model neoverse-v2
