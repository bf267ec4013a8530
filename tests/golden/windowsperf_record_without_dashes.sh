wperf --explain wperf record -e vfp_spec -c 1 --pe_file main.exe --timeout 1
