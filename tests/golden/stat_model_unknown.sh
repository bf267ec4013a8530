wperf stat -m imix --cpu-model neoverse-v9 --dry-run
