wperf --explain wperf stat -e cpu_cycles -m icache -c 0 sleep 2
