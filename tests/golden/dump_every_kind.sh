wperf dump "$GOLDEN/../replay/every_kind.data"
