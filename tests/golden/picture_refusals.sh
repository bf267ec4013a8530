wperf record -f nothing -- true
wperf record --json -o x.svg -- true
wperf record --format svg -o - -- true
wperf record --repeat 2 -o a-%n.svg -- true
wperf record --repeat 2 -f svg -o a-%n.data -- true
wperf report --json -o x.speedscope.json
wperf diff a.data b.data -o x.folded
ls
