[ -w /dev/full ] || { echo "no /dev/full" >&2; exit 77; }
wperf dump "$GOLDEN/../replay/every_kind.data" > /dev/full
