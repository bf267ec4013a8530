wperf --explain wperf sample -e arm_spe_0/ld=1/ --pe_file 'cpython\PCbuild\arm64\python_d.exe' --image_name python_d.exe -c 1
