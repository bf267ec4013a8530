# The common options, and three spellings of all of them.
wperf help record --all
wperf help record --all > all
wperf record --all --help | cmp - all
wperf record --help --all | cmp - all
wperf record --help | grep "help record --all"
wperf record --all -- ./program
