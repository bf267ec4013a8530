mkdir root && ln -s "$GOLDEN/../plans/sysfs/neoverse_n1" root/sys
wperf list --sysfs root '/dsu/*' arm_spe filter fault imix l3_cache
