wperf sample -p 1 --control ctl,ack
