wperf export --format picture
