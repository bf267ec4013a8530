wperf list --cpu-model neoverse-n1 l1d_cach_refill
