wperf stat -e task-clock --timeout 1m30s
