# Sourced by ./check: runs steps and test suites, counts their results, and selects them by name.

passed=0 failed=0 skipped=0
at_first=0   # tests that failed at first and passed when they ran again
part=''      # the part that runs
chosen=()    # of this part, only the steps, suites and tests with these names; empty: all

declare -A made=() # by label: the status

declare -r most_at_first=2
logs=build/logs
times=$logs/times
names=$logs/names # of the steps, suites and tests of a part, from which a wrong name's nearest is taken

# forget_logs: before the first step
forget_logs() {
        mkdir -p "$logs"
        rm -f "$logs"/*.log "$times" "$names"* "$logs"/ccache-* "$logs"/counts-*
        touch "$times" "$names"
}

# is_chosen NAME: whether the command line chooses this step; all without names
is_chosen() {
        local name
        echo "$1" >>"$names"
        [ ${#chosen[@]} -eq 0 ] && return 0
        for name in "${chosen[@]}"; do
                [ "$name" != "$1" ] || return 0
        done
        return 1
}

# count_cpu: sets $cpu to the CPU seconds of what this shell has waited for
count_cpu() {
        local fields
        read -ra fields <"/proc/$BASHPID/stat"
        cpu=$(((fields[15] + fields[16]) / $(getconf CLK_TCK)))
}

# make LABEL COMMAND...: what the next steps of a part need, once; its output is shown when it fails, its notes always
make() {
        local label=$1 log=$logs/${1// /-}.log start=$SECONDS cpu before
        [ -z "${made[$label]-}" ] || return "${made[$label]}"
        shift
        note=
        made[$label]=0
        count_cpu
        before=$cpu
        if "$@" >"$log" 2>&1 </dev/null; then
                passed=$((passed + 1))
                count_cpu
                echo "$((SECONDS - start)) $((cpu - before)) $label" >>"$times"
                echo "ok: $label ($((SECONDS - start)) s$note)"
                grep 'note: .* lines$' "$log" | sed 's/^/  /'
                return 0
        fi
        made[$label]=1
        failed=$((failed + 1))
        echo "FAILED: $label; the end of $log:"
        grep -vE '^\[[0-9]+/[0-9]+\] (Compiling|Linking|Generating)' "$log" | tail -n 60 | sed 's/^/  /'
        return 1
}

# step LABEL COMMAND...: one test
step() {
        is_chosen "$1" || return 0
        make "$@"
}

# measured LABEL COMMAND...: a step whose figures are shown
measured() {
        is_chosen "$1" || return 0
        make "$@" || return
        sed 's/^/  /' "$logs/${1// /-}.log"
}

# suites LABEL BUILD [run_tests options]: the tests of a build, each TAP line counted
suites() {
        local label=$1 build=$2 log=$logs/$1-tests.log total name only=()
        shift 2
        for name in ${chosen[@]+"${chosen[@]}"}; do
                only+=(--only "$name")
        done
        tools/run_tests.py "$build" --label "$label " --jobs "$jobs" --times "$times" --names "$names" "${again[@]}" \
                ${only[@]+"${only[@]}"} "$@" </dev/null 2>&1 | tee -a "$log" | grep -v '^TOTAL '
        total=$(tail -n 1 "$log")
        if [[ $total =~ ^TOTAL\ ([0-9]+)\ ([0-9]+)\ ([0-9]+)\ ([0-9]+)$ ]]; then
                passed=$((passed + BASH_REMATCH[1]))
                failed=$((failed + BASH_REMATCH[2]))
                skipped=$((skipped + BASH_REMATCH[3]))
                at_first=$((at_first + BASH_REMATCH[4]))
        else
                failed=$((failed + 1))
                echo "FAILED: the tests of $build gave no total"
        fi
}

# Objects that another checkout compiled are found: neither its folder nor absolute paths in it are part of what is compared.
# Debian makes a link to ccache for each name of a compiler in a package; that of mingw is an alternative, whose name is in none.
use_ccache() {
        local ccache compiler=x86_64-w64-mingw32-gcc
        rm -rf build/ccache
        if ccache=$(command -v ccache); then
                mkdir -p build/ccache
                ! command -v $compiler >/dev/null || ln -s "$ccache" build/ccache/$compiler
                PATH=$PWD/build/ccache:/usr/lib/ccache:$PATH
        fi
        export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
}

# compile DIR [setup arguments]: configures where that has changed, and builds; $targets: not everything
compile() {
        local dir=$1 key from_cache
        local -x CCACHE_STATSLOG=$PWD/$logs/ccache-${1##*/}
        shift
        key=$(echo "${CC-}${CC_LD:+ $CC_LD}" "$@"; command -v ccache x86_64-w64-mingw32-gcc; cat cross/*.ini 2>/dev/null)
        if [ ! -f "$dir/build.ninja" ] || [ "$(cat "$dir/setup.key" 2>/dev/null)" != "$key" ]; then
                rm -rf "$dir"
                meson setup "$dir" -Dwerror=true -Dtests=true "$@" || return 1
                echo "$key" >"$dir/setup.key"
        fi
        ninja -C "$dir" -j "$jobs" ${targets-} || return 1
        [ -s "$CCACHE_STATSLOG" ] || return 0
        from_cache=$(ccache --show-log-stats | sed -n 's/^ *Hits: *\([0-9]*\) *\/ *\([0-9]*\).*/\1 of \2/p' | head -n 1)
        [ -z "$from_cache" ] || note=", $from_cache objects from ccache"
}

# run_part PART [NAME...]: a part, or its steps, suites and tests with these names
run_part() {
        local name
        part=$1
        shift
        chosen=("$@")
        : >"$names"
        "part_${part//-/_}"
        for name in ${chosen[@]+"${chosen[@]}"}; do
                ! grep -qxF -- "$name" "$names" || continue
                failed=$((failed + 1))
                echo "FAILED: $part has no step, suite or test '$name'$(nearest "$name" <"$names")"
        done
        chosen=()
}

# run_parts DESCRIPTION...
run_parts() {
        local described
        for described in "$@"; do
                run_part "${described%%:*}"
        done
}

# run_most DESCRIPTION...: first what takes seconds, so that its failures show at once; then these parts side by side, two at a time.
# Most of them use the native build.
run_most() {
        run_parts "${quick_parts[@]}"
        make_asan
        beside 2 "${@%%:*}"
}

# beside N PART...: N parts at a time, in this order; the output of a part comes as a whole
beside() {
        local most=$1 running=0 name
        shift
        for name in "$@"; do
                [ "$running" -lt "$most" ] || { wait -n; running=$((running - 1)); }
                (run_beside "$name") &
                running=$((running + 1))
        done
        wait
        add_counts "$@"
}

# add_counts PART...: of parts that ran in shells of their own
add_counts() {
        local name counts
        for name in "$@"; do
                read -ra counts <"$logs/counts-$name" || counts=(0 1 0 0)
                passed=$((passed + counts[0])) failed=$((failed + counts[1])) skipped=$((skipped + counts[2])) at_first=$((at_first + counts[3]))
        done
}

# run_last DESCRIPTION...: the parts of alone_parts; and beside them these, one after the other, by one process of a lower priority
run_last() {
        (
                renice -n 10 "$BASHPID" >/dev/null 2>&1
                jobs=1
                beside 1 "${@%%:*}"
        ) &
        run_parts "${alone_parts[@]}"
        wait
        add_counts "${@%%:*}"
}

# run_beside PART: in a shell of its own
run_beside() {
        passed=0 failed=0 skipped=0 at_first=0
        names+=-$1
        run_part "$1" >"$logs/part-$1.log" 2>&1
        cat "$logs/part-$1.log"
        echo "$passed $failed $skipped $at_first" >"$logs/counts-$1"
}

# nearest NAME: of the names on standard input, "; did you mean ...?"
nearest() {
        python3 -c 'import difflib, sys
found = difflib.get_close_matches(sys.argv[1], sys.stdin.read().splitlines(), 1, 0.5)
print(f"; did you mean {found[0]!r}?" if found else "")' "$1"
}

# show_duration: of all, with the CPU time of the steps and tests, which tells more about a busy machine
show_duration() {
        awk -v seconds="$SECONDS" '{ cpu += $2 } END { printf "%d s in all, %.0f s of CPU time\n", seconds, cpu }' "$times"
}

# finish: the closing lines, which name again what failed, and the exit status
finish() {
        if [ "$(wc -l <"$times")" -gt 10 ]; then
                echo "the slowest:"
                sort -rn "$times" | head -n 10 | awk '{
                        s = $1; cpu = $2; sub(/^[^ ]+ [^ ]+ /, "")
                        printf "  %6.0f s, %6.0f s of CPU time  %s\n", s, cpu, $0
                }'
        fi
        if [ "$at_first" -gt 0 ]; then
                echo "$at_first of the tests that passed failed at first, and passed when they ran again:"
                sed -n 's/^  unsteady: \(.*\): failed, and passed when it ran again/  \1/p' "$logs"/*-tests.log 2>/dev/null
                [ "$at_first" -le "$most_at_first" ] || {
                        failed=$((failed + 1))
                        echo "FAILED: more than $most_at_first tests failed at first"
                }
        fi
        sed -n 's/^  \(FAILED: .*\)/\1/p' "$logs"/*-tests.log 2>/dev/null
        echo "$passed passed, $failed failed, $skipped skipped"
        [ "$failed" -eq 0 ]
        exit
}
