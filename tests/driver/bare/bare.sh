#!/bin/sh
# bare.sh FOLDER: builds driver/core for the bare arm64 machine in FOLDER, and runs it under qemu on CPUs and interrupt controllers
# of different kinds.
set -eu
folder=$1
root=$(cd "$(dirname "$0")/../../.." && pwd)
bare=$root/tests/driver/bare
mkdir -p "$folder"
for kind in registers sysregs; do
        python3 "$root/tools/gen_blocks.py" "$kind" "$folder/block_$kind.c" "$root"/driver/blocks/*.block
done
# Memory without an MMU is device memory: aligned accesses only.
aarch64-linux-gnu-gcc -std=gnu11 -O1 -Wall -Wextra -Werror -ffreestanding -fno-builtin -fno-tree-loop-distribute-patterns \
        -mgeneral-regs-only -mstrict-align -mno-outline-atomics -fno-stack-protector -fno-omit-frame-pointer -fno-pie \
        -fno-toplevel-reorder -static -nostdlib -no-pie -Wl,--build-id=none -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments -T "$bare/bare.ld" \
        -I"$root/driver" -I"$root/driver/core" -I"$root/driver/hw" -o "$folder/bare.elf" \
        "$bare/bare_start.S" "$bare/bare_machine.c" "$root"/driver/core/*.c "$root/driver/hw/register_access.c" \
        "$folder/block_registers.c" "$folder/block_sysregs.c"
status=0
for machine in "virt,gic-version=3 -cpu neoverse-n1" "virt,gic-version=2 -cpu cortex-a57" \
        "virt,gic-version=3,virtualization=on -cpu cortex-a76"; do
        echo "# -M $machine"
        # shellcheck disable=SC2086
        timeout 120 qemu-system-aarch64 -M $machine -m 64 -icount shift=0 -nodefaults -display none \
                -semihosting-config enable=on,target=native -kernel "$folder/bare.elf" </dev/null || status=1
done
exit "$status"
