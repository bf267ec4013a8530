cp "$GOLDEN/../replay/archived_v1.data" .
wperf annotate --by block -i archived_v1.data
