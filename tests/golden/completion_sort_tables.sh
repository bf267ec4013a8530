wperf --completion bash > c.bash
cat > complete.bash <<'END'
. ./c.bash
try() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _wperf
    echo "${*:2} -> ${COMPREPLY[*]}"
}
try wperf report --sort s
try wperf report --sort pid,s
try wperf report --sort syscall,
try wperf report --sort lock,p
END
bash complete.bash
