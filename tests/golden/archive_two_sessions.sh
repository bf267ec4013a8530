wperf archive a.data b.data
