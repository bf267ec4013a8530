wperf test --cpu-model neoverse-n1 -e '{ld_spec,st_spec,dp_spec,ase_spec,vfp_spec,br_pred,l1d_cache}'
