wperf dump -i - < "$GOLDEN/../replay/every_kind.data" | head -n 3
