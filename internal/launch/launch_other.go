//go:build !(linux || darwin || freebsd)

package launch

import (
	"os"
	"os/signal"
)

// catch keeps Ctrl-C from ending this program: the console sends it to the command as well.
func (p *Process) catch() { signal.Notify(p.signals, os.Interrupt) }

func (p *Process) release() { signal.Stop(p.signals) }

func (p *Process) passOn() {
	for {
		select {
		case <-p.exited:
			return
		case <-p.signals:
		}
	}
}

func (p *Process) wait() Status {
	state, err := p.process.Wait()
	if err != nil {
		return Status{Code: 1}
	}
	return Status{Code: state.ExitCode()}
}

// A terminal needs no care here.
type terminal struct{}

func openTerminal() *terminal { return &terminal{} }
func (t *terminal) restore()  {}
