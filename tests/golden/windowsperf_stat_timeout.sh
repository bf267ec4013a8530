wperf --explain wperf stat -m imix -e l1i_cache -c 7 --timeout 10.5
