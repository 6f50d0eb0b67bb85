package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces/ceiling"
	"github.com/seed46266073/longpole/traces/cost"
	"github.com/seed46266073/longpole/traces/pace"
	"github.com/seed46266073/longpole/traces/report"
)

// yardsticks are the flags that say what runs are held against: prices, what uses need, and what hardware can do at best.
type yardsticks struct {
	prices, targets string
	hardware        string
	active, total   string
	bytesPerParam   string
	kvPerToken      string
	claims          []string
}

// yardstickHelp is what every command that has the flags says about them.
const yardstickHelp = `--prices names a YAML file of prices per million tokens; none are built in, as they would go stale:
  date: 2026-11-01            # the day the prices are of, printed with every cost
  currency: USD
  models:
    - model: acme-large-1     # a name, or a pattern as acme-*
      input: 2.00
      cached_input: 0.20      # and cache_write, reasoning, batch_discount where they differ
      output: 10.00
    - model: tiny-local
      free: true
--hardware with --active-params and --bytes-per-param says how fast a model can write at best: memory bandwidth ÷ bytes read for a
token. Rates above that are flagged, with what could explain them. --claim does the same with a published figure; one without batch
size, context length and hardware is not comparable.`

// flags declares them.
func (y *yardsticks) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&y.prices, "prices", "", "YAML `FILE` of prices: what runs and correct answers cost")
	f.StringVar(&y.targets, "targets", "", "YAML `FILE` of what uses need, in place of the built-in chat, voice, agent and batch")
	f.StringVar(&y.hardware, "hardware", "", "`DEVICES` that the model runs on, as h100,count=8 or bandwidth=3.35TB/s,count=8")
	f.StringVar(&y.active, "active-params", "", "`NUMBER` of parameters that take part in one token, as 13e9 or 13b")
	f.StringVar(&y.total, "total-params", "", "`NUMBER` of all parameters of a mixture of experts, as 284b: larger batches touch more of them")
	f.StringVar(&y.bytesPerParam, "bytes-per-param", "", "`BYTES` of a stored weight: a number, or bf16, fp8, int4, …")
	f.StringVar(&y.kvPerToken, "kv-bytes-per-token", "", "`BYTES` of key-value cache per token of context, as 320KiB")
	f.StringArrayVar(&y.claims, "claim", nil, "published output tokens per second, as 500 or 500,batch=1,context=2000,hardware=h100: a `FIGURE` to be checked; may be repeated")
	for _, name := range []string{"prices", "targets"} {
		_ = cmd.MarkFlagFilename(name, "yaml", "yml")
	}
}

// yardstickFlags are their names, as a group of a command's help.
var yardstickFlags = flagGroup{"What it is held against", []string{"prices", "targets", "hardware", "active-params", "total-params", "bytes-per-param", "kv-bytes-per-token", "claim"}}

// given reports whether any of the flags was.
func (y *yardsticks) given() bool {
	return y.prices != "" || y.targets != "" || y.hardware != "" || len(y.claims) > 0
}

// load reads what the flags name.
func (y *yardsticks) load() (report.Yardsticks, error) {
	var loaded report.Yardsticks
	targets := pace.Default()
	loaded.Targets = &targets
	if y.targets != "" {
		err := fromFile(y.targets, func(f *os.File) (err error) {
			targets, err = pace.Load(f)
			return err
		})
		if err != nil {
			return loaded, fmt.Errorf("--targets: %w", err)
		}
	}
	if y.prices != "" {
		err := fromFile(y.prices, func(f *os.File) (err error) {
			loaded.Prices, err = cost.Load(f)
			return err
		})
		if err != nil {
			return loaded, fmt.Errorf("--prices: %w", err)
		}
	}
	for _, text := range y.claims {
		claim, err := ceiling.ParseClaim(text)
		if err != nil {
			return loaded, misused("--%w", err)
		}
		loaded.Claims = append(loaded.Claims, claim)
	}
	var err error
	loaded.Ceiling, err = y.ceiling()
	return loaded, err
}

// ceiling is nil where no hardware was named.
func (y *yardsticks) ceiling() (*ceiling.Setup, error) {
	switch {
	case y.hardware == "" && (y.active != "" || y.total != "" || y.bytesPerParam != "" || y.kvPerToken != ""):
		return nil, misused("--active-params, --total-params, --bytes-per-param and --kv-bytes-per-token want --hardware with them")
	case y.hardware == "":
		return nil, nil
	case y.active == "" || y.bytesPerParam == "":
		return nil, misused("--hardware wants --active-params and --bytes-per-param with it: how many bytes are read for a token")
	}
	var s ceiling.Setup
	var err error
	if s.Hardware, err = ceiling.ParseHardware(y.hardware); err != nil {
		return nil, misused("--%w", err)
	}
	for _, f := range []struct {
		flag, text string
		to         *float64
		parse      func(string) (float64, error)
	}{
		{"active-params", y.active, &s.Model.Active, ceiling.ParseParams}, {"total-params", y.total, &s.Model.Total, ceiling.ParseParams},
		{"bytes-per-param", y.bytesPerParam, &s.Model.BytesPerParam, ceiling.ParseBytesPerParam}, {"kv-bytes-per-token", y.kvPerToken, &s.Model.KVBytes, ceiling.ParseKVBytes},
	} {
		if f.text == "" {
			continue
		}
		if *f.to, err = f.parse(f.text); err != nil {
			return nil, misused("--%s %w", f.flag, err)
		}
	}
	if s.Model.Total > 0 && s.Model.Total < s.Model.Active {
		return nil, misused("--total-params %s: less than --active-params %s", y.total, y.active)
	}
	return &s, nil
}

// fromFile reads a file of settings; an error names it.
func fromFile(name string, read func(*os.File) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
