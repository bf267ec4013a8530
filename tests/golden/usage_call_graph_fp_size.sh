wperf sample --call-graph fp,16 -p 1
