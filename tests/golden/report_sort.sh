cp "$GOLDEN/../replay/jobs.data" "$GOLDEN/../replay/branches.data" .
for keys in comm pid tid process thread comm,pid pid,comm tid,comm dso,comm sym overhead comm,overhead,cpu addr \
        module,addr process,comm; do
        echo "--- $keys"
        wperf report --sort $keys --csv -i jobs.data | tr -d '\r'
done
wperf report --sort comm,addr -i jobs.data
wperf report --sort pid,addr --json -i jobs.data | head -n 20
for keys in addr module,addr symbol dso,overhead; do
        wperf report -b --sort $keys --csv -i branches.data | tr -d '\r'
done
echo "--- sentences"
wperf report --sort adr -i jobs.data
wperf report --sort comm,,pid -i jobs.data
wperf report --sort kinds -i jobs.data
wperf report -b --sort addr,pid -i branches.data
wperf report -s comm,srcline -i jobs.data
