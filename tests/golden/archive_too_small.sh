wperf archive --max-size 0
