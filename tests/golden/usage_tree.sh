wperf report -g --call-graph caler
wperf report --call-graph graph,x
wperf report -g --percent-limit 101
wperf report -g --percent-limit 0,5
wperf report -g --csv
wperf report --max-stack 0
wperf report --max-stack 3
wperf report --percent-limit 3
wperf report -g --sort pid
wperf report -g --annotate
wperf report -g callee nothing.data
wperf report -g graph,0.5,caller nothing.data
