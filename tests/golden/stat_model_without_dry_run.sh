wperf stat -m imix --cpu-model neoverse-v2 sleep 1
