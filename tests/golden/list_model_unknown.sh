wperf list --cpu-model neoverse-n9
