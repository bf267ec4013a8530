wperf --explain wperf stat -e 'l1d_cache,{ld_spec,st_spec},r1b,/dsu/l3d_cache' -k --dmc 0 -c 0,3-5
