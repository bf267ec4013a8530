cp "$GOLDEN/../replay/every_kind.data" .
wperf export -i every_kind.data -o callgrind.out.every && cat callgrind.out.every
