#!/bin/sh
# Records demo/runs.jsonl.gz, which `longpole view --demo` shows: four tasks at three efforts, seven times, asked of the simulated model
# with more faults than usual, so that retries, stalls and tools in parallel are there to see. It takes that many runs to tell which effort
# to use. A run waits nearly all of its time, so many can go on at once. The seed gives the same answers and faults again; times vary a
# little with the machine.
#
# To be small, it has no records of spans that had only begun, nor up to when each was known; and when each chunk arrived only of the
# first nineteen runs, those that the list begins with among them. Stalls are spans of their own, which all runs have.
set -e
home=$(mktemp -d)
trap 'rm -r "$home"' EXIT
LONGPOLE_HOME=$home go run . bench --no-tui --speed 1x --seed 7 --trials 7 --concurrency 16 \
	--task site-prices,fix-config,failing-test,csv-total --fault rate_limit=0.08 --fault stall=0.02 --fault cut=0.02 >/dev/null
without() { sed 's/,{"key":"'"$1"'"[^}]*}}//'; }
ended() { grep -h endTimeUnixNano "$@" | without longpole.checkpoint_unix_ns; }
{
	ended "$home"/*-[01]?-*.jsonl
	ended "$home"/*-[2-8]?-*.jsonl | without longpole.chunks
} | gzip -9 -n >demo/runs.jsonl.gz
