wperf --explain wperf sample -e ld_spec:10000 --pe_file python_d.exe -c 7 -s '^x_mul$' --sample-display-row 10 --sample-display-long
