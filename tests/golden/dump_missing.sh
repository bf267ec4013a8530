wperf dump none.data
