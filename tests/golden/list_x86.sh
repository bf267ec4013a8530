mkdir root && ln -s "$GOLDEN/../plans/sysfs/laptop" root/sys
wperf list -v --sysfs root
