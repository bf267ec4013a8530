wperf diff --code one
