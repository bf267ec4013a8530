cp "$GOLDEN/../replay/archived_v1.data" .
wperf annotate --by handler -i archived_v1.data
