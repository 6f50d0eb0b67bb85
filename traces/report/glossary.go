package report

import (
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// Explain says in a few words what is booked on a component; "" for components whose name says it.
func Explain(c traces.Component) string {
	switch c {
	case traces.Connect:
		return "name look-up, TCP, TLS, sending the request"
	case traces.Wait:
		return "request sent until the first generated output"
	case traces.Stall:
		return "a pause between chunks, longer than the stall threshold"
	case traces.Tail:
		return "last generated output until the end of the response"
	case traces.Response:
		return "model time that the trace does not split further"
	case traces.Approval:
		return "waiting for a person or a permission check"
	case traces.Retry:
		return "attempts that failed or were given up for another"
	case traces.Backoff:
		return "waiting between attempts"
	case traces.Startup:
		return "the agent's own time before its first model request"
	case traces.Agent:
		return "the agent's own code between its calls"
	case traces.Untraced:
		return "between the run's roots, where no span was open"
	}
	return ""
}

// explainSide says what a side call is.
const explainSide = "a model call outside the main chain, such as a title or a router"

// words explains, at the foot of a run's page, the names on it that do not explain themselves.
func (p *page) words(r *measure.Run) {
	var list []string
	for _, c := range []traces.Component{traces.Tail, traces.Response, traces.Startup, traces.Untraced} {
		for _, t := range r.Components {
			if t.Component == c {
				list = append(list, string(c)+": "+Explain(c))
				break
			}
		}
	}
	for _, c := range r.Calls {
		if c.Side {
			list = append(list, "side: "+explainSide)
			break
		}
	}
	if len(list) > 0 {
		p.line()
		p.aside(strings.Join(list, "; "))
	}
}
