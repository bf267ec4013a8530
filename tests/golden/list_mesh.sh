cp -r "$GOLDEN/../plans/sysfs/neoverse_n1" sys && mkdir root && mv sys root/
mesh=root/sys/bus/event_source/devices/arm_cmn_0
mkdir $mesh/events && echo config:0-15 >$mesh/format/type && echo 43402 >$mesh/identifier
echo type=0x5,eventid=0x1 >$mesh/events/hnf_cache_miss
echo type=0x5,eventid=0x2 >$mesh/events/hnf_slc_sf_cache_access
echo type=0x5,eventid=0x2,nodeid=0x8 >$mesh/events/slc_of_node_8
wperf list -v --sysfs root cmn system_cache
wperf man --sysfs root /cmn/hnf_cache_miss,/dsu/l3d_cache,/dmc_clk/upload_stal
wperf stat --sysfs root --dry-run -e /cmn/hnf_cache_miss,/cmn/hnf_sf_hit
