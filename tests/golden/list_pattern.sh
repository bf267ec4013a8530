wperf list --cpu-model neoverse-v2 'stall_*' retiring topdown
echo "--- JSON"
wperf list --cpu-model neoverse-v2 --json -v topdown bad_spec
