wperf --explain perf record  -F999 --call-graph lbr ./python
