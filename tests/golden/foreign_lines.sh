# Command lines of people who know perf, py-spy, samply or WindowsPerf, and lines with errors: what each prints.
try() {
        echo "\$ wperf $*"
        wperf "$@" 2>&1
        echo "status $?"
}
# Commands of other profilers.
try probe --add malloc
try c2c record ./program
try c2c report
try mem record ./program
try sched record sleep 1
try run ./program
try lock contention
try trace -p 1
try kvm stat
try flamegraph -p 1
try attach 4711
try inject -j
try script
try evlist
try bench all
try ftrace
try timechart
try compare a.data b.data
try buildid-list
try load perf.data
try data convert --to-json x
try config -l
try buildid-cache -l
try daemon
try iostat
try kallsyms malloc
try help probe
# Misspelt commands and options.
try recrod -- ./program
try raport
try stat --tiemout 5 -- ./program
try record -tiemout 5 -- ./program
try report --sort-by dso
try -F 99 -- ./program
try ./program
try record --
try record
try sample ./program
try sample
try top5
# Options that mean something else in perf or py-spy.
try record -c 100000 -- ./program
try record -r 5 -- ./program
try record -F 99 -r 99 -- ./program
try record -m flask -- ./program
try record -t 4711
try record -n 5 -- ./program
try record -i -- ./program
try record --freq
try record -F -- ./program
try record -F abc -- ./program
try record -s -- ./program
try record --format
try record -F 0 -- ./program
try record -d -- ./program
try stat -d 10
try stat -e wall -- ./program
try stat --per-core -- ./program
try stat -I 1000 -r 5 -- ./program
try record -D soon -- ./program
try record --engine py -- ./program
try record -g --no-stacks -- ./program
try record -b --call-graph lbr -- ./program
try record --json --session - -- ./program
try record --all-children -a
try record -p
try record -p 1,x
try report
try report -i missing.data
try report -s dso,sym
try annotate
try diff
try diff one.data
try check
try check --run --repeat 5 --baseline main.json -- ./bench
try export
try export --format flame
try export -o profile
try archive
try dump
try dump -p 4711
try dump 4711
try stack
try stack nginx
try stack -p nginx
try symbolize
try man
try list --details
try record -p nginx
try record -p python3
try --explain record --native --full-filenames --save-only -- python3 app.py
try record --all-kernel -- ./program
try --explain record -F max -- ./program
# Options of perf record, report, annotate, top and list.
try record --mmap-pages=512 -- ./program
try record -R -- ./program
try record --buildid-all -- ./program
try record -j any,u -- ./program
try record --intr-regs=ax -- ./program
try record -u root
try record --filter 'prev_pid == 0' -- ./program
try record --max-size 1M -- ./program
try record --timestamp-filename -- ./program
try report --header-only
try report -D
try report -F overhead,sym
try report -M intel
try report --tui
try report -k vmlinux
try report --symbols hot
try report -U
try report -T
try report --hierarchy
try report -t,
try report --show-total-period
try report --itrace=i100us
try report --mem-mode
try --explain report -S hot
try annotate -l
try annotate --no-source
try annotate --tui
try annotate -k vmlinux
try top -g
try top -K
try top -U
try top -C 0
try top -u root
try top -E 20
try top --sort comm
try list tracepoint
try list 'sched:*'
# Options of py-spy.
try stack --locals 4711
try stack -l 4711
