#!/bin/sh
# What the session writer makes, perf opens: plain, packed and as pipes all give the same `perf script`, with a line for
# each sample.  perf_opens.sh MAKE_PROFILE
make_profile=$(realpath "$1")
n_samples=3000

if ! perf version >/dev/null 2>&1; then
        echo "1..0 # SKIP perf is not installed"
        exit 0
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
n=0
failed=0

check() { # check NAME COMMAND...
        name=$1
        shift
        n=$((n + 1))
        if "$@" >log 2>&1; then
                echo "ok $n - $name"
        else
                echo "not ok $n - $name"
                sed 's/^/# /' log | head -20
                failed=1
        fi
}

same_script() { # same_script FILE
        perf script -i "$1" -F pid,tid,time,event,ip >lines 2>problems || return 1
        cat problems
        # Of a pipe perf prints symbols even where none were asked for.
        sed 's/ \[unknown\]$//' lines >script
        [ ! -s problems ] && [ "$(grep -c 'cpu-clock:u' script)" -eq $n_samples ] || return 1
        [ -e first ] || cp script first
        cmp script first
}

echo 1..6
"$make_profile" plain.data $n_samples || exit 1
"$make_profile" packed.data $n_samples 3 || exit 1
"$make_profile" - $n_samples >pipe.data || exit 1
"$make_profile" - $n_samples 3 >packed-pipe.data || exit 1
for kind in plain packed pipe packed-pipe; do
        check "perf script: $kind" same_script $kind.data
done
check "perf report --header" perf report --stdio --header -i plain.data
check "the mode is 0600" test "$(stat -c %a plain.data)" = 600
exit $failed
