# What users of perf, py-spy, samply and WindowsPerf type: it works, or one sentence says what to write.
for habit in '-i 5' -n -t -tiemout --all-kernel '-e wall:u' '-r 5' '--mode gpu'; do
        wperf record $habit --dry-run -- true
done
wperf record -s
wperf record -F
wperf record -d
wperf record --native --threads --function --full-filenames --nolineno --save-only --all-user --subprocesses --dry-run -- true > all.txt
wperf record --dry-run -- true | cmp - all.txt
wperf record -e wall,page-faults --dry-run -- true | grep ^event
wperf record -e page-faults -ewall --dry-run -- true | grep ^event
wperf stat -e wall -- true
wperf stat -d 10
wperf dump -p 4711
wperf attach 4711
wperf run -- true
wperf stack nginx
