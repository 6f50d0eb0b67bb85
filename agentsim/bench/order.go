package bench

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/seed46266073/longpole/agentsim/tasks"
)

// A cell is one run to be made.
type cell struct {
	n       int // place in the order of the plan, from 1
	task    *tasks.Task
	setting *setting
	trial   int // from 1
	id      string
}

// A batch is cells of one load, in the order in which they are to begin.
type batch struct {
	load  Load
	cells []cell
}

// An order is a plan's combinations, in blocks.
type order struct {
	plan     *Plan
	settings []*setting
	varied   []string // tags that tell the settings apart
	name     string   // of the experiment: what the ids of its runs begin with
	digits   int      // of the numbers in ids
}

// namePrefix begins the name of an experiment.
const namePrefix = "bench-"

// stamp is an instant as part of a name, to the millisecond.
func stamp(now time.Time) string {
	return now.UTC().Format("20060102T150405") + fmt.Sprintf("%03d", now.Nanosecond()/1e6)
}

func (p *Plan) order(name string) order {
	o := order{plan: p, settings: p.settings(), varied: p.Varied(), name: name}
	o.digits = len(fmt.Sprint(o.size() * p.mostTrials()))
	return o
}

// label names a setting by what tells it from the others.
func (o *order) label(s *setting) string {
	var words []string
	for _, key := range o.varied {
		words = append(words, s.tags[key])
	}
	return strings.Join(words, " · ")
}

// size is how many runs a block has.
func (o *order) size() int { return len(o.plan.Tasks) * len(o.settings) }

// block returns the runs of a trial: all combinations, shuffled within their load, and the loads shuffled. It depends on nothing
// but the plan, so that an experiment can be gone on with.
func (o *order) block(trial int) []batch {
	random := rand.New(rand.NewPCG(uint64(o.plan.Seed), 0x62656e6368<<20+uint64(trial)))
	var batches []batch
	for _, s := range o.settings {
		i := 0
		for i < len(batches) && batches[i].load != s.load {
			i++
		}
		if i == len(batches) {
			batches = append(batches, batch{load: s.load})
		}
		for t := range o.plan.Tasks {
			batches[i].cells = append(batches[i].cells, cell{task: &o.plan.Tasks[t], setting: s, trial: trial})
		}
	}
	random.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	n := (trial - 1) * o.size()
	for _, b := range batches {
		random.Shuffle(len(b.cells), func(i, j int) { b.cells[i], b.cells[j] = b.cells[j], b.cells[i] })
		for i := range b.cells {
			c := &b.cells[i]
			n++
			c.n = n
			c.id = fmt.Sprintf("%s-%0*d-%s-%s-%d", o.name, o.digits, n, c.task.Name, cmp.Or(c.setting.effort, "default"), trial)
		}
	}
	return batches
}

// seed returns the request seed of a trial of a task: 31 bits, which every server takes, and never 0.
func (p *Plan) seed(task string, trial int) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s/%d", p.Seed, task, trial)
	return int64(h.Sum64()&(1<<31-1)) | 1
}
