mkdir root && ln -s "$GOLDEN/../plans/sysfs/neoverse_n1" root/sys
wperf test --sysfs root -e /dsu/l3d_cache,ld_spec
