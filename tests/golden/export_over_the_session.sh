cp "$GOLDEN/../replay/every_kind.data" wperf.data
wperf export --format svg -o wperf.data
