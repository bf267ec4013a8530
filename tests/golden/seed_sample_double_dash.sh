wperf --explain wperf sample -e ld_spec:100000 --pe_file python_d.exe -c 1
