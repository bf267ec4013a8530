cp "$GOLDEN/../replay/calls.data" a.perf
cp a.perf b.data
ln -s a.perf link.perf
refused() {
	wperf "$@"
	echo "$1: $?"
}
refused record --format folded -o wperf.data -- true
refused record --format svg -o ./x.svg --session x.svg -- true
refused record -o y.svg --session "$PWD/y.svg" -- true
refused record -o z.json --session ./z.json -- true
refused record -o link.perf --session a.perf -- true
refused report -i a.perf -o link.perf
refused report -i b.data --json -o ./b.data
refused report -i b.data --output-prefix "$PWD" --json -o b.data
refused export -i a.perf --format folded -o ./a.perf
refused annotate -i a.perf -o a.perf
refused dump -i a.perf -o a.perf
refused diff -o ./b.data a.perf -- b.data
refused diff --code -o ./b.data a.perf b.data
refused symbolize -e a.perf -o ./a.perf 0x10
refused symbolize -e program --session b.data -o ./b.data 0x10
refused check --markdown ./a.perf a.perf -- b.data
refused check --write-baseline b.data a.perf b.data
refused check --baseline base.json --junit ./base.json a.perf
cp a.perf wperf.svg
refused report --format svg -i wperf.svg
echo "rule{}" >rules
refused report -i a.perf --group-by rules -o rules --json
echo names >a.perf.pysyms
refused report -i a.perf --format folded -o a.perf.pysyms
rm wperf.svg rules a.perf.pysyms
wperf report -i a.perf -q -o /dev/null
cmp a.perf b.data && ls
