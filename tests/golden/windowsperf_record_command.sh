wperf --explain wperf record -e ld_spec:100000 -c 1 --timeout 30 -- python_d.exe -c '10**10**100'
