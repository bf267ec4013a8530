wperf test --cpu-model neoverse-n1 -e '{inst_spec,vfp_spec},ld_spec' -m icache --config count.period=13
