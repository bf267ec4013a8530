wperf test -e page-fault
