wperf stat -r 3
