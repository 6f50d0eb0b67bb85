# Prices are whole cents.

# total PRICE QUANTITY
total() { echo $(($1 * $2)); }

# discounted PRICE PERCENT: the price less the discount, rounded down to a cent.
discounted() {
	rest=$((100 - $2))
	echo $(($1 / 100 * rest))
}

# with_tax PRICE PERCENT: the price plus tax, rounded down to a cent.
with_tax() {
	echo $(($1 * (100 + $2) / 100))
}
