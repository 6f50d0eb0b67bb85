. lib/price.sh

# checkout PRICE QUANTITY DISCOUNT TAX: what a customer pays.
checkout() {
	sum=$(total "$1" "$2")
	sum=$(discounted "$sum" "$3")
	with_tax "$sum" "$4"
}
