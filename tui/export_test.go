package tui

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/tuitest"
)

func TestExportWritesTheScreenAsTextAndSaysWhereTo(t *testing.T) {
	one := []*measure.Run{tuitest.FixConfig()}
	var screen, written string
	opt := Options{Environ: dark, Export: func(name, text string) (string, error) {
		screen, written = name, text
		return "longpole-run.txt", nil
	}}
	m := start(one, opt, 100, 30, "j e")
	if screen != "run" || !strings.Contains(written, "▾ step 1") || strings.ContainsAny(written, "\x1b\t") {
		t.Errorf("exported %q:\n%s", screen, written)
	}
	if !strings.Contains(text(m), "written to longpole-run.txt") {
		t.Errorf("it does not say where to:\n%s", text(m))
	}
	opt.Export = func(string, string) (string, error) { return "", errors.New("no room") }
	if m := start(one, opt, 100, 30, "e"); !strings.Contains(text(m), "not written: no room") {
		t.Errorf("it does not say that nothing was written:\n%s", text(m))
	}
}

func TestInstantsAreReadAsTheyAreWritten(t *testing.T) {
	for in, want := range map[string]string{"12.5": "12.5s", "12.5s": "12.5s", "12.5 s": "12.5s", "312 ms": "312ms", "1m04s": "1m4s", "1m 04s": "1m4s",
		"1:04": "1m4s", "1:00:02": "1h0m2s", "0": "0s", "x": "", "": "", ":": "", "1e9": ""} {
		got, err := instant(in)
		if err != nil && want != "" || err == nil && got.String() != want {
			t.Errorf("instant(%q) = %v, %v, want %s", in, got, err, want)
		}
	}
}
