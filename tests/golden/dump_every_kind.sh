cp "$GOLDEN/../replay/every_kind.data" .
wperf dump every_kind.data
