wperf record --call-graph=dwarf,70000 -- true
