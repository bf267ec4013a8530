wperf export -i "$GOLDEN/../replay/every_kind.data" --format folded --kinds
