package bench

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/agentsim"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/store"
)

// An Experiment is a plan as the store keeps it, beside its runs: enough to tell whether another plan is the same, so that it can be
// gone on with. Its file is JSON lines: the plan, then when it was over, if it was.
type Experiment struct {
	Schema  string              `json:"schema"`
	Name    string              `json:"experiment"` // what the ids of its runs begin with
	Began   time.Time           `json:"began"`
	Plan    map[string]string   `json:"plan"`    // what it is to do, in words
	Options map[string][]string `json:"options"` // Plan.Options
	Over    time.Time           `json:"-"`       // when all of it was done; zero: it is not
}

const experimentSchema = "longpole.experiment/v1"

// experimentFolder is within the store; readers of traces leave folders with such names alone.
const experimentFolder = ".experiments"

// ErrNoExperiment is what errors are about a name that no kept experiment has.
var ErrNoExperiment = errors.New("no such experiment")

// Find returns the kept experiment of a name, or the one whose name begins with it; "": the one that was begun last of those that
// are not over.
func Find(s *store.Store, name string) (*Experiment, error) {
	files, err := os.ReadDir(filepath.Join(s.Dir(), experimentFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("find the experiment: %w", err)
	}
	if name != "" && !strings.HasPrefix(name, namePrefix) {
		name = namePrefix + name
	}
	var found []*Experiment
	for _, f := range slices.Backward(files) { // by name, which is by time
		stem, isPlan := strings.CutSuffix(f.Name(), ".json")
		if !isPlan || name != "" && !strings.HasPrefix(stem, name) {
			continue
		}
		x, err := readExperiment(filepath.Join(s.Dir(), experimentFolder, f.Name()))
		switch {
		case err != nil && name != "":
			return nil, err
		case err == nil && (name != "" || x.Over.IsZero()):
			found = append(found, x)
		}
		if name == "" && len(found) > 0 || stem == name {
			return found[len(found)-1], nil
		}
	}
	switch {
	case name == "":
		return nil, fmt.Errorf("%w that was interrupted in %s", ErrNoExperiment, s.Dir())
	case len(found) == 0:
		return nil, fmt.Errorf("%w as %q in %s", ErrNoExperiment, name, s.Dir())
	case len(found) > 1:
		return nil, fmt.Errorf("%q is the beginning of %d experiments, %s and %s among them; give more of it", name, len(found), found[0].Name, found[1].Name)
	}
	return found[0], nil
}

func readExperiment(path string) (*Experiment, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the experiment: %w", err)
	}
	first, rest, _ := bytes.Cut(content, []byte("\n"))
	x := &Experiment{}
	if err := json.Unmarshal(first, x); err != nil || x.Schema != experimentSchema || x.Name != strings.TrimSuffix(filepath.Base(path), ".json") ||
		!strings.HasPrefix(x.Name, namePrefix) {
		return nil, fmt.Errorf("%s: this is no experiment that can be gone on with; begin it anew", path)
	}
	var over struct{ Over time.Time }
	if json.Unmarshal(rest, &over) == nil {
		x.Over = over.Over
	}
	return x, nil
}

// A journal is the open file of an experiment. nil: it is not kept.
type journal struct{ file *os.File }

// keep opens the file of an experiment, and writes it if it is new. Only one process at a time may.
func (x *Experiment) keep(s *store.Store, isNew bool) (*journal, error) {
	dir := filepath.Join(s.Dir(), experimentFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keep the experiment: %w", err)
	}
	flags := os.O_RDWR | os.O_APPEND
	if isNew {
		flags |= os.O_CREATE | os.O_EXCL
	}
	file, err := os.OpenFile(filepath.Join(dir, x.Name+".json"), flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep the experiment: %w", err)
	}
	j := &journal{file: file}
	if !store.Lock(file) {
		file.Close()
		return nil, fmt.Errorf("experiment %s is being run by another process", x.Name)
	}
	if isNew {
		err = j.write(x)
	}
	if err != nil {
		j.close()
		return nil, fmt.Errorf("keep the experiment: %w", err)
	}
	return j, nil
}

func (j *journal) write(value any) error {
	line, err := json.Marshal(value)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	return err
}

// over writes that all is done. Where it cannot, going on with the experiment finds nothing to do.
func (j *journal) over() {
	if j != nil {
		_ = j.write(map[string]time.Time{"over": time.Now().UTC()})
	}
}

func (j *journal) close() {
	if j != nil {
		j.file.Close()
	}
}

// words says what a plan is to do, so that another one can be held against it.
func (p *Plan) words() map[string]string {
	words := map[string]string{
		"group":           fmt.Sprint(p.Group),
		"trials":          fmt.Sprint(max(p.Trials, 1)),
		"schedule":        fmt.Sprintf("%d rounds, one every %v", max(p.Rounds, 1), p.Every),
		"seed":            fmt.Sprint(p.Seed),
		"speed":           plain(cmp.Or(p.Speed, 1)),
		"max-steps":       fmt.Sprint(p.MaxSteps),
		"limit":           p.Limit.String(),
		"retries":         fmt.Sprintf("%+v", p.Retry),
		"stall-threshold": p.StallThreshold.String(),
	}
	if p.Until > 0 {
		delete(words, "trials")
		words["until"], words["max-trials"] = plain(p.Until), fmt.Sprint(p.MaxTrials)
	}
	if p.Sim != nil {
		words["fault"] = fmt.Sprintf("%+v", p.Sim.Faults)
	}
	add := func(key, word string) {
		if words[key] != "" {
			word = words[key] + ", " + word
		}
		words[key] = word
	}
	for _, t := range p.Tasks {
		add("task", strings.TrimSpace(t.Name+" "+t.Digest))
	}
	for _, e := range p.Endpoints {
		add("base-url", e.Name+"="+withoutPassword(e.URL))
	}
	for _, m := range p.Systems {
		add("system message", m.Name+" "+digest(m.Text))
	}
	seen := map[string]bool{}
	o := p.order("")
	for _, s := range o.settings {
		for key, value := range s.tags {
			if id := key + "=" + value; !seen[id] {
				seen[id] = true
				add(key, value)
			}
		}
	}
	ids := sha256.New()
	for _, b := range o.block(1) {
		for _, c := range b.cells {
			fmt.Fprintln(ids, c.id, c.setting.tags, b.load, p.seed(c.task.Name, 1))
		}
	}
	words["order"] = hex.EncodeToString(ids.Sum(nil)[:8])
	return words
}

// withoutPassword is an address without the user's name and password, which are not kept.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "?"
	}
	u.User = nil
	return u.String()
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// An OtherPlan is the error of going on with an experiment under a plan that is not the one that was begun: it says in what.
type OtherPlan struct{ error }

// differs returns an OtherPlan if p is not the plan that was begun.
func (x *Experiment) differs(p *Plan) error {
	now := p.words()
	keys := maps.Clone(x.Plan)
	maps.Copy(keys, now)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if was, is := x.Plan[key], now[key]; was != is && key != "order" {
			return OtherPlan{fmt.Errorf("experiment %s was begun with %s %s, not %s; it goes on as it was begun, or begin another", x.Name, key, cut(was), cut(is))}
		}
	}
	if !maps.Equal(x.Plan, now) {
		return OtherPlan{fmt.Errorf("experiment %s was begun by another version, which made runs in another order; begin another", x.Name)}
	}
	return nil
}

// cut shortens what an error says.
func cut(text string) string {
	if text == "" {
		return "none"
	}
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// recall returns the runs of an experiment that were finished, by id, and removes what is left of the others.
func (x *Experiment) recall(s *store.Store) (map[string]*Run, error) {
	found := map[string]*Run{}
	entries, err := s.FindAll(x.Name + "-")
	if err != nil && !errors.Is(err, store.ErrNoRun) {
		return nil, err
	}
	for _, entry := range entries {
		records, _, err := entry.Load() // a run that ended can do without what cannot be read
		switch {
		case errors.Is(err, store.ErrNoRun): // deleted just now
			continue
		case err != nil:
			return nil, err
		}
		if runs, _ := traces.Build(records); len(runs) == 1 && ended(runs[0]) {
			found[runs[0].ID] = remembered(runs[0])
		} else if err := os.Remove(entry.Path); err != nil {
			return nil, fmt.Errorf("remove what is left of a run that was under way: %w", err)
		}
	}
	return found, nil
}

// remembered is a run as its record tells it.
func remembered(run *traces.Run) *Run {
	replied := slices.ContainsFunc(run.ModelCalls, func(c *traces.ModelCall) bool { return c.Outcome == traces.OK })
	trial, _ := strconv.Atoi(run.Group["trial"]) // it is one of ours
	r := &Run{ID: run.ID, Group: run.Group, Time: run.Wall, Before: true, Task: run.Group["task"], Model: run.Group["model"],
		Effort: run.Group["effort"], Trial: trial, Result: agentsim.Result{RunID: run.ID, Outcome: run.Outcome,
			Check: run.Check, Replied: replied, Steps: len(run.Steps), ToolCalls: len(run.ToolCalls), Wall: run.Wall}}
	if intended, ok := run.Root.Attrs().Int(traces.KeyIntendedStart); ok {
		r.Time += max(0, time.Duration(run.Start.UnixNano()-intended))
	}
	return r
}
