cp "$GOLDEN/../replay/locks.data" "$GOLDEN/../replay/jobs.data" .
wperf report --sort lock -i locks.data
wperf report --sort lock --sample-display-row 1 --tid 101 -i locks.data
wperf report --sort lock --csv -i locks.data | tr -d '\r'
wperf report --sort lock --json --comm other -i locks.data
wperf report --sort lock,tid -i locks.data
wperf report --sort lock,comm --csv -i locks.data | tr -d '\r'
echo "--- sentences"
wperf report --sort lock -i jobs.data
wperf report --sort lock,symbol -i locks.data
wperf report --sort lock --wakers -i locks.data
wperf report --sort lok -i locks.data
