wperf symbolize -e none.so 0x10
