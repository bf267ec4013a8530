wperf record -c 100000 ./a.out
