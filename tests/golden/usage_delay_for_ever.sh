wperf record --delay -1 -- true
