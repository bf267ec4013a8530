cp "$GOLDEN/../replay/every_kind.data" .
wperf symbolize --session every_kind.data -e prog 0x10
