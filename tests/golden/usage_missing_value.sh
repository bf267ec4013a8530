wperf record -e --json ls
