# More than is printed in one piece.
i=0
while [ $i -lt 4000 ]; do
	echo "0x$((200 + i % 8))"
	i=$((i + 1))
done > addresses
wperf symbolize --no-index -e "$GOLDEN/../data/dwarf/gcc5.so" < addresses > many
wc -l < many
sort many | uniq -c | sed 's/^ *//'
