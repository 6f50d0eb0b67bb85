#!/bin/sh
# Records demo/runs.jsonl.gz, which `longpole view --demo` shows: three tasks at three efforts, twice, asked of the simulated model with more
# faults than usual, so that retries, stalls and tools in parallel are there to see. The seed gives the same answers and faults again; times
# vary a little with the machine.
set -e
home=$(mktemp -d)
trap 'rm -r "$home"' EXIT
LONGPOLE_HOME=$home go run . bench --no-tui --speed 1x --seed 7 --trials 2 --task site-prices,fix-config,failing-test \
	--fault rate_limit=0.10 --fault stall=0.03 --fault cut=0.03 >/dev/null
cat "$home"/*.jsonl | gzip -9 -n >demo/runs.jsonl.gz
