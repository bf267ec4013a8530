# Every line that docs/coming-from-perf.md says to write, as the option tables understand it.
grep -o '`wperf [^`]*`' "$GOLDEN/../../docs/coming-from-perf.md" | tr -d '`' | grep -v '^wperf --explain' | while read -r line; do
        echo "$line"
        eval "wperf --explain $line" 2>&1 | sed 's/^/    /'
done
echo "--- sentences"
wperf stat -C 0,1 -- ./program
wperf record -c 100000 -- ./program
wperf record -m 16 -- ./program
wperf report -s comm
wperf record -b --call-graph lbr -- ./program
wperf script -i perf.data
wperf report --time 10%-20%,30%-40%
