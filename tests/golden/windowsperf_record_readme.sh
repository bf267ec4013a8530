wperf --explain wperf record -c 0 -e vfp_spec:1000 --timeout 5 -- '.\WindowsPerfSample1.exe'
