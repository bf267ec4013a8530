cp "$GOLDEN/../replay/archived_v1.data" .
wperf annotate --source -i archived_v1.data
