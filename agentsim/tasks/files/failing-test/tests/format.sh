. lib/check.sh
. lib/format.sh
equal "cents are two digits" "$(money 1205)" 12.05
equal "less than one" "$(money 7)" 0.07
