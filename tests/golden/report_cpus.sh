cp "$GOLDEN/../replay/jobs.data" .
for cpus in '-c 1' '-C 0' '--cpu 0,1' '-c 5'; do
        wperf report --stdio --sort cpu -i jobs.data $cpus | grep -A3 '^ *overhead'
        wperf export -i jobs.data --format folded $cpus 2> /dev/null | awk '{ n += $NF } END { print n + 0 }'
done
wperf annotate -i jobs.data -C 7
