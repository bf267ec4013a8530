# Made by tests/unit/session/test_etl_machine.c.
cp "$GOLDEN"/../replay/emulated/* .
wperf report -i emulated.etl --symbol-path .
wperf report --sort module,machine -i emulated.etl --symbol-path .
wperf report --sort machine --json-extended -i emulated.etl --symbol-path . | tr ',' '\n' | grep -A 3 emulation
wperf report --sort machine -s nosuch --json-extended -i emulated.etl --symbol-path . | tr ',' '\n' | grep -A 2 emulation
wperf report --sort python,machine -i emulated.etl
wperf report --mem --sort machine -i emulated.etl
