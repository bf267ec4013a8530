wperf --explain wperf stat -m Operation_Mix -c 7 --timeout 3 -- 'cpython\PCbuild\arm64\python_d.exe' -c '10**10**100'
