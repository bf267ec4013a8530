wperf record --help
