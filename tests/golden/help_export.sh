wperf export --help
