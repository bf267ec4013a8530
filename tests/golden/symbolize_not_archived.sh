wperf symbolize --session "$GOLDEN/../replay/every_kind.data" -e prog 0x10
