cp "$GOLDEN/../replay/calls.data" .
for how in "" "-g" "-g callee" "--sort comm"; do
        wperf report $how --color=always -i calls.data > colored
        wperf report $how --color=never -i calls.data > plain
        wperf report $how -i calls.data > piped
        NO_COLOR=1 wperf report $how --color=always -i calls.data | cmp - colored
        sed 's/\x1b\[[0-9]*m//g' colored | cmp - plain
        cmp plain piped
        grep -c "$(printf '\033')" colored
done
wperf report --color=always -i calls.data | tail -n 4 | sed 's/\x1b/ESC/g'
wperf report --color=red -i calls.data
