wperf test -e page-faults:u:1000,cpu-clock
