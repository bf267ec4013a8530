mkdir root && ln -s "$GOLDEN/../plans/sysfs/vm" root/sys
wperf list --sysfs root
