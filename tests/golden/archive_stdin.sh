wperf archive -i -
