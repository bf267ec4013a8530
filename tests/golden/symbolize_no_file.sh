wperf symbolize 0x10
