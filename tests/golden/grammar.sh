# Spellings that are refused with one sentence, in the order of the table of tests/system/test_grammar.py.
try() {
        echo "\$ wperf $*"
        wperf "$@" 2>&1 | tr -d '\r'
}
cp "$GOLDEN/../replay/calls.data" .
echo 'print(1)' > app.py
echo "# What is measured"
try record 99999999999 sleep 1
try record -a 10
try record -c 0 10
try record -p 1 10
try stack nginx
try stack --all
echo "# How"
try record -d
try stat -d 0.5
try stack -d 1 4711
try record -r 5 -- ./program
try record -g --no-callers -- ./program
try record -g --no-call-graph -- ./program
try record --engine bpf,stop -- ./program
try record -e wall:u -- ./program
try record -e wall:1000 -- ./program
try record --mode off -- ./program
try top --gil
try record --every 60s -- ./program
for option in -i -n -t -s; do
        try record $option -- ./program
        try top $option
done
for option in -i -n -t -s; do
        try stack $option 4711
done
try stack --subprocesses 4711
try record -tiemout 5 -- ./program
echo "# Where to, and how it looks"
try record -o profile.otlp -- ./program
try record -o profile.jsonl -- ./program
try report -i calls.data -o profile.otlp.json
try report -i calls.data --format flame
try report -i calls.data --format svg --json
try top --format svg
try top -f svg
try top -o top.svg
try diff --format svg a.data b.data
try diff a.data b.data -o profile.folded
try record --open -- ./program
try top --thread worker-1
try top --tid 4711
try top --threads
try report -i calls.data --python x
try report -i calls.data --state nosuch
try report -i calls.data --state lock
try report -i calls.data --latency
try report -i calls.data --latency --mem
try report -i calls.data --sort latency
try report -i calls.data --sort state
try report -i calls.data --wakers
try report -i calls.data -C x
try stack --repeat 0 4711
try dump -p 4711
try dump 4711
try record -m flask
try top -m flask
echo "# Comparing"
try check -- app.py
try check a.data -- app.py
try check --run 2 -- app.py
try check --run -- app.py
try check --measure size a.data -- b.data
try check --measure count a.data -- b.data
try check --unclear skip a.data -- b.data
try check --annotations gitea a.data -- b.data
try check --limit total a.data -- b.data
try diff --measure count a.data -- b.data
try diff --measure size a.data -- b.data
try diff --by native a.data -- b.data
try diff --pair app.py a.data -- b.data
echo "# Taken"
wperf report -i calls.data --native --function --full-filenames --nolineno --no-lines --stdio > all.txt
wperf report -i calls.data --stdio | cmp - all.txt
wperf report -i calls.data --format flamegraph
wperf report -i calls.data -o picture.svg
cmp wperf.svg picture.svg
wperf report -i calls.data --format raw -o lines.svg
wperf export -i calls.data -o lines.folded
cmp lines.svg lines.folded
wperf help record --all > all.txt
for line in 'record --all --help' 'record --help --all' 'help --all record'; do
        wperf $line | cmp - all.txt
done
wperf record -h > common.txt
wperf help record | cmp - common.txt
for name in --limit --max-change; do
        wperf --explain check $name 'json_*=10%' a.data -- b.data
done
wperf --explain record --rate 99 --duration 10 --cgroup a.slice -- ./program
wperf --explain record --html a.html --nonblocking --mode gil -- ./program
wperf --explain stack --all-processes --tids 1,2 --no-lines --delay 1s
