wperf --explain wperf list -E name1:0xffaa,name2:12 --json
