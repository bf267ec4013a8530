for options in "" "-g" "--no-stacks" "--no-callers" "--no-call-graph" "--call-graph fp"; do
        wperf record $options -e cycles:u --dry-run --sysfs "$GOLDEN/../plans/sysfs/laptop" -- ./program | grep sample_type
done
wperf record --no-stacks -g -- true
wperf record --no-stacks --wall -- true
wperf sample --no-callers --call-graph fp -p 1
