wperf --explain wperf stat -m imix -c 1 sleep 3
