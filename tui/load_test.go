package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/tuitest"
)

// slow is a loader that reads a run a second, of so many.
func slow(total int) Loader {
	return func(ctx context.Context, say func(Progress)) (runs []*measure.Run, _ []traces.Problem, _ error) {
		for i := range total {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return runs, nil, nil
			}
			runs = append(runs, tuitest.FixConfig())
			say(Progress{"kept runs", i + 1, total})
		}
		return runs, nil, nil
	}
}

// opening returns a model that is loading, and a function that lets time pass.
func opening(opt Options, width, height int) (m *Model, pass func(time.Duration)) {
	opt.Environ = dark
	m = New(nil, opt)
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	loaded := make(chan tea.Msg, 1)
	go func() { loaded <- m.load() }()
	return m, func(d time.Duration) {
		for range d / glance {
			time.Sleep(glance)
			synctest.Wait()
			m.Update(loadTickMsg{})
			select {
			case msg := <-loaded:
				m.Update(msg)
			default:
			}
		}
	}
}

func TestTheScreenIsThereWhileRunsAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, pass := opening(Options{Load: slow(4)}, 80, 24)
		if s := strings.TrimSpace(text(m)); s != "" {
			t.Errorf("what may take no time is announced:\n%s", s)
		}
		pass(2500 * time.Millisecond)
		fits(t, m)
		for _, words := range []string{"reading kept runs", "2 of 4"} {
			if !strings.Contains(text(m), words) {
				t.Errorf("no %q after 2.5 s:\n%s", words, text(m))
			}
		}
		for _, width := range []int{60, 80, 140} {
			m.Update(tea.WindowSizeMsg{Width: width, Height: 15})
			fits(t, m)
			golden(t, fmt.Sprintf("loading-%d", width), text(m))
		}
		pass(2 * time.Second)
		if m.loading != nil || len(m.runs) != 4 || m.screen() != Runs {
			t.Errorf("after 4.5 s %d runs are there:\n%s", len(m.runs), text(m))
		}
	})
}

func TestOneRunThatWasReadIsShownItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, pass := opening(Options{Load: slow(1)}, 80, 24)
		pass(2 * time.Second)
		if m.screen() != Waterfall {
			t.Errorf("the run is not open:\n%s", text(m))
		}
	})
}

func TestEscShowsWhatHasBeenReadSoFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, pass := opening(Options{Load: slow(9)}, 80, 24)
		pass(2500 * time.Millisecond)
		if _, cmd := m.Update(press("esc")); cmd != nil {
			t.Error("esc ends the program though two runs have been read")
		}
		pass(time.Second)
		if len(m.runs) != 2 || !strings.Contains(text(m), "reading was stopped") {
			t.Errorf("%d runs are shown:\n%s", len(m.runs), text(m))
		}
		if send(m, press("p")); !strings.Contains(text(m), "not all runs are here") {
			t.Errorf("the problems do not say that runs are missing:\n%s", text(m))
		}
	})
}

func TestEscGivesUpWhereNothingHasBeenRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, pass := opening(Options{Load: slow(9)}, 80, 24)
		pass(500 * time.Millisecond)
		_, cmd := m.Update(press("esc"))
		if cmd == nil {
			t.Fatal("esc does nothing")
		}
		if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Error("esc does not end the program")
		}
		pass(time.Second)
	})
}

func TestAFailureIsShownAndReturned(t *testing.T) {
	odd := errors.New("open big.json: no traces that can be read; it looks like a picture \x1b[31m")
	load := func(context.Context, func(Progress)) ([]*measure.Run, []traces.Problem, error) { return nil, nil, odd }
	m := New(nil, Options{Environ: dark, Load: load})
	m.Update(tea.WindowSizeMsg{Width: 60, Height: 15})
	m.Update(m.load())
	fits(t, m)
	golden(t, "failure-60", text(m))
	if _, cmd := m.Update(press("esc")); cmd == nil {
		t.Error("esc does not end the program")
	}
	if m.failure != odd {
		t.Errorf("the failure is %v", m.failure)
	}
}

func TestTheTourIsShownOnceAndSaysThatItWas(t *testing.T) {
	seen := 0
	m := New(tuitest.Bench(1), Options{Environ: dark, Tour: true, Toured: func() { seen++ }})
	m.Update(tea.WindowSizeMsg{Width: 60, Height: 15})
	for _, cmd := range m.Init()().(tea.BatchMsg) {
		cmd()
	}
	if seen != 1 || !strings.Contains(text(m), "a tour in one minute") || strings.Contains(text(m), "lines") {
		t.Errorf("told %d times, or it does not fit on the least screen:\n%s", seen, text(m))
	}
	send(m, press("enter"))
	if strings.Contains(text(m), "tour") {
		t.Errorf("a key does not close it:\n%s", text(m))
	}
}
