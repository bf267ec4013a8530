[ -w /dev/full ] || { echo "no /dev/full" >&2; exit 77; }
cp "$GOLDEN/../replay/every_kind.data" .
wperf dump every_kind.data > /dev/full
