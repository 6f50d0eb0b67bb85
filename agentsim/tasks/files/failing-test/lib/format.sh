# money CENTS: the amount with two decimals.
money() {
	printf '%d.%02d\n' $(($1 / 100)) $(($1 % 100))
}
