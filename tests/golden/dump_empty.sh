: > empty.data
wperf dump empty.data
