wperf record -D -2 -- true
