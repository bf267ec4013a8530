cp "$GOLDEN/../replay/archived_v1.data" .
wperf report --stdio -i archived_v1.data -s run | grep -B1 total
