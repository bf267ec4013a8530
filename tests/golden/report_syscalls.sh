cp "$GOLDEN/../replay/syscalls.data" "$GOLDEN/../replay/jobs.data" .
wperf report --sort syscall -i syscalls.data
wperf report --sort syscall --sample-display-row 1 --tid 100 -i syscalls.data
wperf report --sort syscall --csv -i syscalls.data | tr -d '\r'
wperf report --sort syscall --json --thread 'server' -i syscalls.data
wperf report --sort syscall,comm -i syscalls.data
wperf report --sort process,syscall --csv -i syscalls.data | tr -d '\r'
echo "--- sentences"
wperf report --sort syscall -i jobs.data
wperf report --sort syscall,symbol -i syscalls.data
wperf report --sort syscall -g -i syscalls.data
wperf report --sort syscal -i syscalls.data
