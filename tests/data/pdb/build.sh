#!/bin/sh
# Makes every file in this folder again, here.  Debian 12: clang, lld and llvm 14.0.6.  Run it in this folder; the files
# are checked in.  NAME.answers are the frames of all addresses (answers.py).
set -eu
cd "$(dirname "$0")"
rm -f ./*.pdb ./*.answers

flags="-O2 -g -ffreestanding -fno-builtin -fno-exceptions -fno-rtti -mno-stack-arg-probe
       -fdebug-compilation-dir=C:/src -fcoverage-compilation-dir=C:/src -fno-stack-protector -fasynchronous-unwind-tables"
link="/nodefaultlib /entry:start /subsystem:console /Brepro /incremental:no"

# compile TARGET FORMAT
compile()
{
        for part in one two; do
                clang-14 --target=$1-pc-windows-msvc $flags $2 -c -o $part.obj $part.cc
        done
}

# build NAME TARGET MACHINE
build()
{
        compile $2 "-gcodeview -gcolumn-info"
        lld-link-14 $link /machine:$3 /debug /pdb:$1.pdb /pdbaltpath:%_PDB% /pdbsourcepath:'C:\src' /out:$1.exe one.obj two.obj
        compile $2 -gdwarf
        lld-link-14 $link /machine:$3 /debug:dwarf /out:dwarf.exe one.obj two.obj
        ./answers.py $1.exe dwarf.exe > $1.answers
        rm one.obj two.obj dwarf.exe $1.exe
}

build x64 x86_64 x64
build arm64 aarch64 arm64
build x86 i386 x86
