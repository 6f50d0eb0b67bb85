package measure

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Call is a model call with its instants and rates. Instants are since the moment the final attempt's request had been
// sent, unless noted; nil where unknown, or where the figure would mislead.
type Call struct {
	*traces.ModelCall
	Answer *traces.Attempt // the final attempt: the last one that was not given up for another
	Start  time.Duration   // since the start of the run

	Headers, FirstByte, FirstEvent *time.Duration
	TTFT                           *time.Duration // first generated output of any kind; nil if the response was not streamed
	FirstReasoning, LastReasoning  *time.Duration
	FirstVisible, LastVisible      *time.Duration
	FirstToolCall, LastToolCall    *time.Duration
	LastToken                      *time.Duration // last generated output of any kind
	End                            *time.Duration // the stream's own end marker, else the end of the attempt; nil while open
	FeltTTFT                       *time.Duration // first output since the call's start, failed attempts and backoff included

	TPOT            *time.Duration // (LastToken − TTFT) ÷ (output tokens − 1)
	TPOTFlowing     *time.Duration // the same without the stalls; nil if there were none
	VisibleTPOT     *time.Duration // the same over visible text and its tokens
	OutputRate      *float64       // output tokens after the first ÷ (LastToken − TTFT), per second
	EndToEndRate    *float64       // all output tokens ÷ End, per second: the wait and hidden reasoning included
	CharsPerSecond  *float64       // characters of visible text ÷ the time it took to arrive
	CharsPerToken   *float64       // characters of visible text ÷ its tokens
	ReasoningWindow *Window        // from the start of the first to the end of the last reasoning phase
	// ReasoningEstimate is a guess at hidden reasoning without a window: reasoning tokens × the call's time per streamed
	// token, at most the wait. It is shown beside the wait, never booked.
	ReasoningEstimate *time.Duration

	Chunks     *int     // pieces of generated output that arrived
	Gaps       Gaps     // between neighbouring chunks
	Stalls     []Window // of the final attempt
	Visibility string   // of reasoning: full, summary, hidden, none; "" if unknown
	Delivery   Delivery // "" if unknown
	Paced      bool     // the reader, not the network, set the pace: rates are nil
}

// A Window is an interval in time since the start of the run.
type Window struct {
	Start, End time.Duration
	Quality    traces.Quality
}

// Gaps summarises the times between chunks; a percentile that the number of gaps does not carry is nil.
type Gaps struct {
	P50, P95, P99, Max *time.Duration
}

// Delivery says how a response came.
type Delivery string

// The deliveries. A burst was announced as a stream but came at once: somebody on the way kept it back, so its rate
// says nothing about the model. Whole is a response that was not streamed.
const (
	Streamed Delivery = "stream"
	Burst    Delivery = "burst"
	Whole    Delivery = "whole"
)

func callOf(c *traces.ModelCall) Call {
	a := answer(c)
	m := Call{ModelCall: c, Answer: a, Start: c.Span.Start}
	attrs := a.Span.Attrs()
	m.Headers = nanoseconds(attrs, traces.KeyHeadersTime)
	m.FirstByte = nanoseconds(attrs, traces.KeyFirstByteTime)
	m.FirstEvent = nanoseconds(attrs, traces.KeyFirstEventTime)
	m.End = nanoseconds(attrs, traces.KeyEndMarkerTime)
	if m.End == nil && !a.Span.Has(traces.FlagOpen) {
		m.End = ptr(max(0, ended(a)-sent(a)))
	}
	m.Paced = attrs.String(traces.KeyPaced) == "consumer"
	m.Visibility = cmp.Or(attrs.String(traces.KeyVisibility), c.Span.Attrs().String(traces.KeyVisibility))
	m.ReasoningWindow = window(a.Phases, traces.Reasoning)
	for _, p := range a.Phases {
		if p.Component == traces.Stall {
			m.Stalls = append(m.Stalls, Window{p.Start, p.End, p.Quality})
		}
	}
	m.gaps(a, attrs)
	m.EndToEndRate = m.endToEnd(a)
	if c.Stream != nil && !*c.Stream {
		if !c.Outcome.Failed() {
			m.Delivery = Whole
		}
		m.CharsPerToken = m.charsPerToken(attrs)
		return m
	}
	m.arrivals(a, attrs)
	if m.TTFT != nil {
		m.FeltTTFT = ptr(sent(a) + *m.TTFT - c.Start())
	}
	if m.Visibility == "" {
		m.Visibility = m.seenVisibility(a)
	}
	m.rates(a)
	m.CharsPerToken = m.charsPerToken(attrs)
	return m
}

// answer returns the attempt that a call's instants are of; where all were given up or failed, the last.
func answer(c *traces.ModelCall) *traces.Attempt {
	for _, a := range slices.Backward(c.Attempts) {
		if !a.Span.Has(traces.FlagFailed) {
			return a
		}
	}
	return c.Final()
}

// sent returns when the request had been sent: as recorded, else when the phase that sent it was over, else the start.
func sent(a *traces.Attempt) time.Duration {
	if len(a.Phases) > 0 && a.Phases[0].Component == traces.Connect && a.Sent == a.Span.Start {
		return a.Phases[0].End
	}
	return a.Sent
}

// ended returns when the response was over: some spans of requests end with the headers, the phases then go on.
func ended(a *traces.Attempt) time.Duration {
	end := a.Span.End
	for _, p := range a.Phases {
		end = max(end, p.End)
	}
	return end
}

// arrivals finds when what came: from the chunks, else from the phases, else as the source reported it.
func (m *Call) arrivals(a *traces.Attempt, attrs traces.Attrs) {
	switch {
	case a.Chunks != nil && len(a.Chunks.List) > 0:
		m.fromChunks(a)
	default:
		m.fromPhases(a, attrs)
	}
	if m.TTFT == nil {
		m.TTFT = m.ModelCall.TTFT
	}
}

func (m *Call) fromChunks(a *traces.Attempt) {
	lead := sent(a) - a.Span.Start
	for _, k := range a.Chunks.List {
		at := max(0, k.At-lead)
		first, last := m.instants(k.Kind)
		if *first == nil {
			*first, *last = ptr(at), new(time.Duration)
		}
		**last = at
		if m.TTFT == nil {
			m.TTFT, m.LastToken = ptr(at), new(time.Duration)
		}
		*m.LastToken = at
	}
}

// instants returns where the first and last instant of a kind are kept.
func (m *Call) instants(kind traces.Component) (first, last **time.Duration) {
	switch kind {
	case traces.Reasoning:
		return &m.FirstReasoning, &m.LastReasoning
	case traces.ToolArgs:
		return &m.FirstToolCall, &m.LastToolCall
	}
	return &m.FirstVisible, &m.LastVisible
}

// fromPhases reads the same off the phases of an attempt without chunk series. A phase ends with a delta of its kind and
// the wait ends with the first one, whose kind is not told: so TTFT, the last token and the last of each kind are known, but the
// first of a kind only where reasoning came first or nothing else came at all.
func (m *Call) fromPhases(a *traces.Attempt, attrs traces.Attrs) {
	kinds := map[traces.Component]bool{}
	var kind traces.Component // of the first generated phase
	sent := sent(a)
	for _, p := range a.Phases {
		switch {
		case p.Start < sent: // what came before the request was sent is no answer to it
			continue
		case p.Component == traces.Reasoning && p.Quality == traces.Measured, p.Component == traces.Output, p.Component == traces.ToolArgs:
			_, last := m.instants(p.Component)
			*last = ptr(p.End - sent)
			if kind == "" {
				kind = p.Component
			}
			kinds[p.Component] = true
		case p.Component != traces.Stall:
			continue
		}
		if m.TTFT == nil {
			m.TTFT = ptr(p.Start - sent)
		}
		m.LastToken = ptr(p.End - sent)
	}
	if n, ok := attrs.Int(traces.KeyReasoningChars); ok && n > 0 {
		kinds[traces.Reasoning] = true
	}
	if n, ok := attrs.Int(traces.KeyChars); ok && n > 0 {
		kinds[traces.Output] = true
	}
	if len(m.ToolCallIDs) > 0 {
		kinds[traces.ToolArgs] = true
	}
	if kind != "" && (kind == traces.Reasoning || len(kinds) == 1) {
		first, _ := m.instants(kind)
		*first = m.TTFT
	}
}

// seenVisibility tells from what arrived whether reasoning was shown, as far as that tells.
func (m *Call) seenVisibility(a *traces.Attempt) string {
	switch n := m.Usage.Reasoning; {
	case n == nil:
	case *n == 0:
		return "none"
	case m.FirstReasoning == nil && a.Chunks != nil && len(a.Chunks.List) > 0:
		return "hidden"
	}
	return ""
}

// gaps summarises the chunk gaps from the series, else takes what the attempt carries.
func (m *Call) gaps(a *traces.Attempt, attrs traces.Attrs) {
	if a.Chunks == nil {
		if n, ok := attrs.Int(traces.KeyChunkCount); ok {
			m.Chunks = ptr(int(n))
		}
		m.Gaps = Gaps{
			nanoseconds(attrs, traces.KeyChunkGapP50), nanoseconds(attrs, traces.KeyChunkGapP95),
			nanoseconds(attrs, traces.KeyChunkGapP99), nanoseconds(attrs, traces.KeyChunkGapMax),
		}
		return
	}
	m.Chunks = ptr(len(a.Chunks.List))
	gaps := make([]float64, max(0, len(a.Chunks.List)-1))
	for i := range gaps {
		gaps[i] = float64(a.Chunks.List[i+1].At - a.Chunks.List[i].At)
	}
	slices.Sort(gaps)
	quantile := func(q float64) *time.Duration {
		if v, ok := stats.SortedQuantile(gaps, q); ok {
			return ptr(time.Duration(v + 0.5))
		}
		return nil
	}
	m.Gaps = Gaps{quantile(0.5), quantile(0.95), quantile(0.99), quantile(1)}
}

// window spans the phases of one kind, as certain as the least certain of them; nil if there are none.
func window(phases []traces.Phase, kind traces.Component) *Window {
	var w *Window
	for _, p := range phases {
		switch {
		case p.Component != kind:
		case w == nil:
			w = &Window{p.Start, p.End, p.Quality}
		default:
			w.End = max(w.End, p.End)
			if certainty(p.Quality) > certainty(w.Quality) {
				w.Quality = p.Quality
			}
		}
	}
	return w
}

func nanoseconds(a traces.Attrs, key string) *time.Duration {
	if n, ok := a.Int(key); ok && n >= 0 {
		return ptr(time.Duration(n))
	}
	return nil
}

func ptr[T any](v T) *T { return &v }
