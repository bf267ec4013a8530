wperf top --help
