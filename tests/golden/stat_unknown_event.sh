wperf stat -e ld_spce --cpu-model neoverse-v2 --dry-run
