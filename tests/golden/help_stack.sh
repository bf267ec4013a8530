wperf stack --help
