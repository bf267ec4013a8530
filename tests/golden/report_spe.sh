cp "$GOLDEN/../replay/spe_perf.data" "$GOLDEN/../replay/every_kind.data" .
wperf report -i spe_perf.data
wperf report -i spe_perf.data --sort source,symbol
wperf report -i spe_perf.data --sort source --csv | tr -d '\r'
wperf report -i spe_perf.data -g --stdio
wperf report -i spe_perf.data --sort symbol
wperf report -i every_kind.data --sort source
wperf report -i spe_perf.data --mem --sort source
