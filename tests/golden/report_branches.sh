cp "$GOLDEN/../replay/branches.data" "$GOLDEN/../replay/calls.data" .
wperf report -b branches.data
wperf report --branch-stack --csv branches.data | tr -d '\r'
echo "--- not a stack"
wperf report -g branches.data
echo "--- a stack"
wperf report -g calls.data
echo "--- sentences"
wperf report -b calls.data
wperf report -b -g branches.data
wperf report -b --sort comm branches.data
