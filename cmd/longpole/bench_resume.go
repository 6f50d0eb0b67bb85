package main

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed46266073/longpole/agentsim/bench"
)

// presentation are the flags that do not change what an experiment does: they are not kept with it.
var presentation = append([]string{"resume", "no-tui", "format", "help"}, yardstickFlags.names...)

// unkept stands in place of what an address holds before its host.
const unkept = "not-kept"

// keptOptions returns the flags that were given, to be kept with the experiment: paths whole, addresses without passwords.
func keptOptions(flags *pflag.FlagSet) map[string][]string {
	kept := map[string][]string{}
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(presentation, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = slices.Clone(list.GetSlice())
		}
		for i := range values {
			switch f.Name {
			case "base-url":
				values[i] = withoutUser(values[i])
			case "tasks":
				values[i] = wholePath(values[i])
			case "system":
				if name, file := namedFile(values[i]); file != "" {
					values[i] = name + "=" + wholePath(file)
				}
			}
		}
		kept[f.Name] = values
	})
	return kept
}

func wholePath(file string) string {
	if whole, err := filepath.Abs(file); err == nil {
		return whole
	}
	return file
}

// withoutUser returns an address, which may have a name before it, without the user in it.
func withoutUser(text string) string {
	_, address := namedURL(text)
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return text
	}
	u.User = url.User(unkept)
	return strings.TrimSuffix(text, address) + u.String()
}

// restoreOptions sets the flags that were kept with an experiment and are not given now.
func restoreOptions(flags *pflag.FlagSet, x *bench.Experiment) error {
	for name, values := range x.Options {
		f := flags.Lookup(name)
		if f == nil {
			return fmt.Errorf("experiment %s was begun by another version, with --%s; begin another", x.Name, name)
		}
		if f.Changed {
			continue
		}
		if name == "base-url" && slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, unkept+"@") }) {
			return misused("--base-url was given with a user or password, which are not kept; give it again")
		}
		var err error
		if list, ok := f.Value.(pflag.SliceValue); ok {
			err = list.Replace(values) // perhaps none: --effort ""
		} else {
			err = f.Value.Set(strings.Join(values, ""))
		}
		if err != nil {
			return fmt.Errorf("experiment %s: --%s: %w", x.Name, name, err)
		}
		f.Changed = true
	}
	return nil
}

// resumed finds the experiment to go on with, and takes up its flags; nil: a new one is begun.
func resumed(opt *benchOptions) (*bench.Experiment, error) {
	if opt.resume == "" {
		return nil, nil
	}
	s, err := openStore()
	if err != nil {
		return nil, err
	}
	name := opt.resume
	if name == lastExperiment {
		name = ""
	}
	x, err := bench.Find(s, name)
	if errors.Is(err, bench.ErrNoExperiment) && name != "" {
		return nil, fmt.Errorf("%w; `longpole runs` lists the runs of experiments, whose ids begin with its name", err)
	}
	if err != nil {
		return nil, err
	}
	return x, restoreOptions(opt.flags, x)
}
