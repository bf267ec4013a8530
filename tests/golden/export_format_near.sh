wperf export --format sgv
