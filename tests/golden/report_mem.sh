cp "$GOLDEN/../replay/spe_perf.data" .
wperf report --mem spe_perf.data
wperf report --mem --sort level spe_perf.data
wperf report --mem --sort cacheline --describe spe_perf.data
wperf report --mem --sort page --json spe_perf.data
wperf report --mem --sort latency --csv spe_perf.data | tr -d '\r'
wperf report --mem --sort symbol,level --sample-display-row 3 spe_perf.data
echo "--- sentences"
wperf report --sort level spe_perf.data
wperf report --mem --sort levels spe_perf.data
wperf report --mem --sort page,cacheline spe_perf.data
wperf report --mem -g spe_perf.data
wperf report --describe spe_perf.data
cp "$GOLDEN/../replay/calls.data" .
wperf report --mem calls.data
