wperf --completion tcsh
