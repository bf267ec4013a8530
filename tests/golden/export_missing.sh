wperf export -i no-such.data --format svg
