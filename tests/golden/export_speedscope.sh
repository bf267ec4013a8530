wperf export -i "$GOLDEN/../replay/every_kind.data" -o - --format speedscope
