wperf archive -i no-such.data
