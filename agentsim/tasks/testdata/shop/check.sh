test "$(sh price.sh 150)" = 1.50 && test "$(sh price.sh 5)" = 0.05
