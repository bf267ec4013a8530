mkdir folder
wperf dump folder
