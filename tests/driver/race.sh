#!/bin/sh
# race.sh FOLDER [SECONDS [SEED]]: builds race_machine with the thread sanitizer in FOLDER and runs it.
set -eu
folder=$1
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$folder"
python3 "$root/tools/gen_blocks.py" registers "$folder/block_registers.c" "$root"/driver/blocks/*.block
gcc -std=gnu11 -g -O1 -fsanitize=thread -Wall -Wextra -Werror -Wno-unused-parameter -pthread \
        -I"$root/driver" -I"$root/driver/core" -I"$root/driver/hw" -I"$root/tests" -o "$folder/race_machine" \
        "$root/tests/driver/race_machine.c" "$root/tests/driver/sim_machine.c" "$root/tests/driver/sim_spe.c" "$root/tests/driver/sim_threads.c" "$root"/driver/core/*.c "$folder/block_registers.c"
# gcc 12's sanitizer does not start on some kernels if addresses are random.
run=
setarch "$(uname -m)" -R true 2>/dev/null && run="setarch $(uname -m) -R"
exec $run "$folder/race_machine" "$@"
