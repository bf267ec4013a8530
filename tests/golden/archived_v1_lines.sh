cp "$GOLDEN/../replay/archived_v1.data" .
wperf report --sort symbol,line -i archived_v1.data
