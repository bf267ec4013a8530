cp "$GOLDEN/../replay/every_kind.data" wperf.data
wperf export --format svg -e every-feild
