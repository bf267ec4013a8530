wperf --completion bash > c.bash
cat > complete.bash <<'END'
. ./c.bash
try() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _wperf
    echo "${*:2} -> ${COMPREPLY[*]}"
}
try wperf li
try wperf list --cp
try wperf list --cpu-model neoverse-n
try wperf man --cpu-model neoverse-n1 l1d_cache_m
try wperf man --cpu-model = neoverse-v2 Topd
try wperf test --cpu-model neoverse-n1 -m imix,ica
try wperf test --cpu-model neoverse-n1 -e '{ld_spec,rc_s'
try wperf test --cpu-model neoverse-n1 --event = dsb_
try wperf list --cpu-model neoverse-v
try wperf help st
try wperf record -o x
try wperf report --sort comm,
try wperf record -- --fr
END
bash complete.bash
