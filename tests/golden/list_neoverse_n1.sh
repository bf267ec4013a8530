wperf list -v --cpu-model neoverse-n1
