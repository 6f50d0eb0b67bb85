#!/bin/sh
# Runs every test and says which of them fail.
failed=0
for test in tests/*.sh; do
	sleep "${PAUSE:-0}" # a real test takes its time
	if output=$(sh "$test" 2>&1); then
		echo "ok    $test"
	else
		echo "FAIL  $test"
		echo "      $output"
		failed=$((failed + 1))
	fi
done
echo "$failed failed"
[ "$failed" -eq 0 ]
