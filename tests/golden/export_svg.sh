cp "$GOLDEN/../replay/every_kind.data" .
wperf export -i every_kind.data -e every-field -o every.svg && sed -n '/class="f"/,/^<.g>/p' every.svg
