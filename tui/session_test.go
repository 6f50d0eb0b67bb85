package tui

import (
	"testing"
	"testing/synctest"

	"github.com/seed46266073/longpole/tui/tuitest"
)

const escKey, enterKey, tabKey = "\x1b", "\r", "\t"

// From the list of runs to what one of them would take if it were otherwise, as a user would go, on the terminal that is really written to.
func TestASessionFromTheListToCompareAndWhatIf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(t, New(tuitest.Bench(8), Options{Environ: dark}), 120, 36)
		s.shows("at first", "72 runs", "where the time went", "fix-config")

		s.press("j", enterKey)
		s.shows("in the second run", "▾ step 1", "chat glm-sim", "● critical")
		s.press("j", "j", "l")
		s.shows("with its call unfolded", "attempt 2")
		s.press("b")
		s.shows("in its breakdown", "components", "on path↓", "saves")
		s.press(enterKey)
		s.shows("with its largest component unfolded", "step 1: chat glm-sim")
		s.press("f")
		s.shows("in its flame graph", "flame")
		s.press(escKey)
		s.shows("back in the breakdown", "on path↓")
		s.press(escKey, escKey)
		s.shows("back in the list", "where the time went")

		s.press("C")
		s.shows("in the comparison", "compare by effort", "62 %", "none seen", "would have been seen four times in five", "why low − high = +82 ms")
		s.press("j")
		s.shows("at the next pair", "why medium − high", "19 % faster")
		s.press(tabKey, "j", enterKey)
		s.shows("where its largest cause shows", "● critical", "reasoning")
		s.press(escKey)
		s.shows("back at the cause", "▌ reasoning")
		s.press(escKey, escKey)
		s.shows("back in the list once more", "where the time went")

		s.press(enterKey, "W")
		s.shows("in what-if", "what-if", "could bring")
		before := s.console.text()
		s.press("h", "h")
		if after := s.console.text(); after == before {
			t.Errorf("a slider moves nothing:\n%s", after)
		}
		s.shows("with a slider moved", "×")
		s.press("?")
		s.shows("in the help", "The same on every screen")
		s.press("?")
		s.quit()
	})
}

// Without colours the terminal gets none, and what failed is marked by a sign.
func TestASessionWithoutColour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(t, New(tuitest.Bench(8), Options{Environ: noColour}), 80, 24)
		s.press("C", tabKey, "j", escKey, escKey, enterKey, "b", "?")
		s.quit()
		if n := colours(s.console.raw.String()); n > 0 {
			t.Errorf("%d colours were written", n)
		}
	})
}
