wperf help detect && wperf --man detect | grep "^.SS"
