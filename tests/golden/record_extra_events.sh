wperf record -E name:0x70 -e name -- true
