mkdir root && ln -s "$GOLDEN/../plans/sysfs/laptop" root/sys
wperf man --sysfs root cpu-cycles,faults,LLC-load-misses cpu/mem-loads/ ld_spec l1d_cache_mpki
