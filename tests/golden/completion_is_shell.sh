wperf --completion bash > c.bash && bash -n c.bash
bash -c ". ./c.bash; COMP_WORDS=(wperf record --dr); COMP_CWORD=2; _wperf; echo \${COMPREPLY[@]}"
bash -c ". ./c.bash; COMP_WORDS=(wperf rep); COMP_CWORD=1; _wperf; echo \${COMPREPLY[@]}"
