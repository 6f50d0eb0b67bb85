package main

import (
	"cmp"
	"encoding/json"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/seed46266073/longpole/agentsim/bench"
	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
)

// plan turns the flags into a plan, without its tracer and store.
func (opt *benchOptions) plan() (bench.Plan, error) {
	plan := bench.Plan{Trials: opt.trials, MaxTrials: opt.maxTrials, Seed: opt.seed, MaxSteps: opt.maxSteps, Limit: opt.limit,
		StallThreshold: opt.stall, NoWarmUp: opt.noWarmUp,
		Grid: bench.Grid{Models: opt.models, Efforts: opt.efforts, Temperatures: opt.temperatures, Parallel: opt.parallel}}
	if err := checkComparisonFormat(opt.format); err != nil {
		return plan, err
	}
	err := cmp.Or(atLeast("trials", 1, opt.trials), atLeast("max-trials", 1, opt.maxTrials), atLeast("max-steps", 1, opt.maxSteps),
		atLeast("concurrency", 1, opt.concurrency...), atLeast("tool-parallelism", 0, opt.parallel...), atLeast("limit", 0, opt.limit),
		once("effort", opt.efforts), once("model", opt.models), once("task", opt.tasks), once("temperature", opt.temperatures),
		once("tool-parallelism", opt.parallel), once("concurrency", opt.concurrency), once("rate", opt.rates), checkStall(opt.stall),
		opt.server(&plan), opt.settings(&plan), opt.repetition(&plan))
	if err != nil {
		return plan, err
	}
	if plan.Tasks, err = chooseTasks(opt.tasks, opt.tasksFile); err != nil {
		return plan, err
	}
	if err := plan.Check(); err != nil {
		return plan, usageError{err}
	}
	return plan, nil
}

// server says whom the agent asks: the simulated model, or others by their address.
func (opt *benchOptions) server(plan *bench.Plan) (err error) {
	speed := opt.speed
	switch {
	case len(opt.baseURLs) > 0 && len(opt.models) == 0:
		return misused("--base-url needs --model NAME: which of the server's models to ask")
	case len(opt.baseURLs) > 0 && len(opt.faults) > 0:
		return misused("--fault is for the simulated model; it cannot be used with --base-url")
	case len(opt.baseURLs) > 0:
		if plan.Endpoints, err = servers(opt.baseURLs); err != nil {
			return err
		}
		speed = cmp.Or(speed, "1x")
	default:
		sim := simmodel.Config{Faults: defaultFaults}
		if len(opt.faults) > 0 {
			if sim.Faults, err = parseFaults(opt.faults); err != nil {
				return err
			}
		}
		plan.Sim = &sim
		if len(plan.Models) == 0 {
			plan.Models = []string{defaultModel}
		}
		if err := cmp.Or(knownModels(plan.Models), knownEfforts(plan.Efforts)); err != nil {
			return err
		}
		speed = cmp.Or(speed, "10x")
	}
	plan.Speed, err = parseSpeed(speed)
	return err
}

// settings reads what else can be compared, and the tags of all runs.
func (opt *benchOptions) settings(plan *bench.Plan) (err error) {
	if plan.Systems, err = systems(opt.systems); err != nil {
		return err
	}
	if plan.Fields, err = fields(opt.requests); err != nil {
		return err
	}
	if plan.Loads, err = opt.loads(); err != nil {
		return err
	}
	plan.Group = map[string]string{}
	for _, text := range opt.groups {
		key, value, ok := strings.Cut(text, "=")
		if !ok || !isTag(key) || value == "" || strings.ContainsFunc(value, unicode.IsControl) || plan.Group[key] != "" {
			return misused("--group %q: want KEY=VALUE, each key once", text)
		}
		plan.Group[key] = value
	}
	return nil
}

// loads combines rates and numbers of users. With a rate, so many runs at the same time are allowed as --concurrency says, if it is given.
func (opt *benchOptions) loads() ([]bench.Load, error) {
	even := opt.arrivals == "even"
	if !even && opt.arrivals != "random" {
		return nil, misused("--arrivals %q: they are random or even", opt.arrivals)
	}
	var loads []bench.Load
	if len(opt.rates) == 0 {
		for _, n := range opt.concurrency {
			loads = append(loads, bench.Load{Users: n})
		}
		return loads, nil
	}
	users := []int{0}
	if opt.flags.Changed("concurrency") {
		users = opt.concurrency
	}
	for _, text := range opt.rates {
		rate, err := parseRate(text)
		if err != nil {
			return nil, err
		}
		for _, n := range users {
			loads = append(loads, bench.Load{Users: n, Rate: rate, Even: even})
		}
	}
	return loads, nil
}

// repetition says how often all is run.
func (opt *benchOptions) repetition(plan *bench.Plan) (err error) {
	if opt.until != "" {
		text := strings.TrimSuffix(strings.TrimLeft(opt.until, "±+-"), "%")
		percent, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		switch {
		case err != nil || !(percent > 0) || math.IsInf(percent, 0) || !strings.HasSuffix(opt.until, "%"):
			return misused("--until %q: want a share of the median, as ±5%%", opt.until)
		case opt.flags.Changed("trials") || opt.schedule != "":
			return misused("--until decides how many trials there are: it cannot be used with --trials or --schedule")
		}
		plan.Until = percent / 100
	}
	if opt.schedule != "" {
		every, whole, ok := strings.Cut(opt.schedule, "/")
		period, err := time.ParseDuration(every)
		long, err2 := time.ParseDuration(whole)
		if !ok || err != nil || err2 != nil || period <= 0 || long <= period {
			return misused("--schedule %q: want how often and how long, as 1h/24h", opt.schedule)
		}
		plan.Every, plan.Rounds = period, int(math.Ceil(float64(long)/float64(period)))
	}
	return nil
}

// atLeast refuses values of a flag that are too small.
func atLeast[T int | time.Duration](flag string, least T, values ...T) error {
	for _, v := range values {
		if v < least {
			return misused("--%s %v: want %v or more", flag, v, least)
		}
	}
	return nil
}

// once refuses a list flag that names something twice: runs would be made twice, under the same tags.
func once[T comparable](flag string, values []T) error {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			if text, ok := any(v).(string); ok {
				return misused("--%s %q: named twice; --trials makes more runs of it", flag, text)
			}
			return misused("--%s %v: named twice; --trials makes more runs of it", flag, v)
		}
	}
	return nil
}

// namedURL splits NAME=URL; a URL alone has no name.
func namedURL(text string) (name, address string) {
	if name, address, ok := strings.Cut(text, "="); ok && isTag(name) {
		return name, address
	}
	return "", text
}

// servers reads addresses. The key of one with a name is in OPENAI_API_KEY_NAME, if that is set, else in OPENAI_API_KEY.
func servers(texts []string) ([]bench.Endpoint, error) {
	var list []bench.Endpoint
	for _, text := range texts {
		name, address := namedURL(text)
		if err := checkBaseURL(address); err != nil {
			return nil, err
		}
		key := os.Getenv("OPENAI_API_KEY")
		if own, set := os.LookupEnv("OPENAI_API_KEY_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))); name != "" && set {
			key = own
		}
		if u, err := url.Parse(address); err == nil {
			name = cmp.Or(name, u.Host)
		}
		if slices.ContainsFunc(list, func(e bench.Endpoint) bool { return e.Name == name }) {
			return nil, misused("--base-url: two of them are called %s; name them, as first=https://api.example.org/v1", name)
		}
		list = append(list, bench.Endpoint{Name: name, URL: strings.TrimSuffix(address, "/"), APIKey: key})
	}
	return list, nil
}

// checkBaseURL refuses what is no address to append to. It does not repeat it: there may be a password in it.
func checkBaseURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return misused("--base-url: want http:// or https://, a host and a path without a query, as https://api.example.org/v1")
	}
	return nil
}

// namedFile splits NAME=FILE; a file alone is named after itself. The built-in message is no file.
func namedFile(text string) (name, file string) {
	if text == "default" {
		return text, ""
	}
	if name, file, ok := strings.Cut(text, "="); ok && isTag(name) {
		return name, file
	}
	base := filepath.Base(text)
	return strings.TrimSuffix(base, filepath.Ext(base)), text
}

const largestSystem = 1 << 20 // bytes

// readSome reads no more than so many bytes of a file, which may be one without an end.
func readSome(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// systems reads system messages from their files.
func systems(texts []string) ([]bench.System, error) {
	var list []bench.System
	for _, text := range texts {
		name, file := namedFile(text)
		var content []byte
		if file != "" {
			var err error
			if content, err = readSome(file, largestSystem+1); err != nil {
				return nil, misused("--system: %w; want FILE, NAME=FILE or default", err)
			}
			if len(content) > largestSystem || strings.TrimSpace(string(content)) == "" {
				return nil, misused("--system %s: the file is empty, or larger than %d bytes", file, largestSystem)
			}
		}
		if slices.ContainsFunc(list, func(m bench.System) bool { return m.Name == name }) {
			return nil, misused("--system: two of them are called %s; name them, as NAME=FILE", name)
		}
		list = append(list, bench.System{Name: name, Text: string(content)})
	}
	return list, nil
}

// fields reads FIELD=VALUE,VALUE: JSON values or plain words; a JSON list is the list of values.
func fields(texts []string) ([]bench.Field, error) {
	var list []bench.Field
	for _, text := range texts {
		name, values, ok := strings.Cut(text, "=")
		if !ok || !isTag(name) || values == "" {
			return nil, misused("--request %q: want FIELD=VALUE, or several values with commas between, as service_tier=flex,default", text)
		}
		f := bench.Field{Name: name}
		if json.Unmarshal([]byte(values), &f.Values) != nil {
			for word := range strings.SplitSeq(values, ",") {
				var value any
				if json.Unmarshal([]byte(word), &value) != nil {
					value = word
				}
				f.Values = append(f.Values, value)
			}
		}
		if len(f.Values) == 0 {
			return nil, misused("--request %q: a list of no values", text)
		}
		list = append(list, f)
	}
	return list, nil
}

// isTag reports whether a word can be the key of a tag.
func isTag(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

// parseRate reads a number of runs a second, minute or hour.
func parseRate(text string) (float64, error) {
	number, unit, _ := strings.Cut(text, "/")
	per := map[string]float64{"": 1, "s": 1, "min": 60, "h": 3600}[unit]
	rate, err := strconv.ParseFloat(number, 64)
	if err != nil || per == 0 || !(rate/per > 0) || math.IsInf(rate, 0) {
		return 0, misused("--rate %q: want runs begun a second, minute or hour, as 2/s, 30/min or 100/h", text)
	}
	return rate / per, nil
}

func taskNames() []string {
	var names []string
	for _, t := range tasks.All() {
		names = append(names, t.Name)
	}
	return names
}

// chooseTasks returns the named tasks: built-in ones and those of the file, "" for none. Without names, it is all of the file, else
// all built-in ones that can run on this machine.
func chooseTasks(names []string, file string) ([]tasks.Task, error) {
	all := tasks.All()
	if file != "" {
		own, err := tasks.Load(file)
		if err != nil {
			return nil, misused("--tasks: %w", err)
		}
		if len(names) == 0 {
			return own, nil
		}
		all = append(own, all...)
	}
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(t tasks.Task) bool { return t.Missing() != "" }), nil
	}
	var chosen []tasks.Task
	for _, name := range names {
		i := slices.IndexFunc(all, func(t tasks.Task) bool { return t.Name == name })
		if i < 0 {
			var known []string
			for _, t := range all {
				known = append(known, t.Name)
			}
			return nil, misused("--task %q: there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// modelNames are the simulated models.
func modelNames() []string {
	var names []string
	for _, p := range simmodel.Published() {
		names = append(names, p.Name)
	}
	return names
}

func knownModels(names []string) error {
	known := modelNames()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return misused("--model %q: the simulated ones are %s; with --base-url any of the server's", name, strings.Join(known, ", "))
		}
	}
	return nil
}

func knownEfforts(words []string) error {
	known := simmodel.Efforts()
	for _, word := range words {
		if !slices.Contains(known, word) {
			return misused("--effort %q: the simulated models know %s; with --base-url any that the server does", word, strings.Join(known, ", "))
		}
	}
	return nil
}
