wperf help doctor
