. lib/check.sh
. lib/price.sh
equal "total" "$(total 250 4)" 1000
equal "discount of a round price" "$(discounted 1000 25)" 750
equal "tax" "$(with_tax 1999 19)" 2378
