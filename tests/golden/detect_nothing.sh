wperf detect --sysfs nowhere
