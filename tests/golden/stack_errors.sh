wperf stack
wperf stack nginx
wperf stack --comm nginx 4711
wperf stack -a 4711
wperf stack --repeat 0 4711
