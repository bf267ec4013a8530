mkdir root && ln -s "$GOLDEN/../plans/sysfs/neoverse_n1" root/sys
wperf detect --sysfs root
wperf detect --sysfs root --json
