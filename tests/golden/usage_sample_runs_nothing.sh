wperf sample -e cycles ./a.out
