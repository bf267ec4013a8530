cp "$GOLDEN/../replay/locks.data" .
wperf export --format folded --event lock:contention_end --time 0,0.000001 -i locks.data
