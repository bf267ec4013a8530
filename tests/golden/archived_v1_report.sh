cp "$GOLDEN/../replay/archived_v1.data" .
wperf report -g --inlines -i archived_v1.data
