cp "$GOLDEN/../replay/every_kind.data" .
wperf report -i every_kind.data -o every_kind.folded && cat every_kind.folded
