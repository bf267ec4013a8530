wperf man --cpu-model neoverse-n1 ld_spec,l1d_cache_mpki Operation_Mix
echo "--- another CPU"
wperf man neoverse-v2/retiring neoverse-n2-r0p1/ld_spec
