wperf man neoverse-n1/l1d_cache_mpki --json
