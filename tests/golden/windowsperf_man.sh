wperf --explain wperf man l1d_cache_mpki
