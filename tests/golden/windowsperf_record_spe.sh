wperf --explain wperf record -e arm_spe_0/ld=1/ -c 1 --timeout 5 -- 'cpython\PCbuild\arm64\python_d.exe' -c '10**10**100'
