wperf archive --help
