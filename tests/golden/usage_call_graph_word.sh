wperf record --call-graph dwraf -- true
