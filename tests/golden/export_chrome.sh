cp "$GOLDEN/../replay/every_kind.data" .
wperf export -i every_kind.data -o x.trace.json && cat x.trace.json
