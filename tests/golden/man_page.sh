wperf --man dump
