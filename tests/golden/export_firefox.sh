cp "$GOLDEN/../replay/every_kind.data" .
wperf export -i every_kind.data -e every-field -o every.firefox.json && cat every.firefox.json
