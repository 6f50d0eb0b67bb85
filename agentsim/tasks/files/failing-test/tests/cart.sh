. lib/check.sh
. lib/cart.sh
equal "no discount, no tax" "$(checkout 500 2 0 0)" 1000
equal "half price with tax" "$(checkout 1000 2 50 20)" 1200
equal "a tenth off an odd price" "$(checkout 1999 1 10 0)" 1799
