printf '# of the user\nmine:{ld_spec,st_spec},dp_spec\n' > metrics.txt
printf 'name1:0xffaa\nname2:12\n' > events.txt
wperf list --cpu-model neoverse-n1 -E events.txt -C metrics.txt -v name mine
wperf man --cpu-model neoverse-n1 -E events.txt -C metrics.txt name1,mine
