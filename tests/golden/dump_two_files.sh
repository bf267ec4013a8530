wperf dump one.data two.data
