package report

import (
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/cost"
	"github.com/seed46266073/longpole/traces/measure"
)

// A model call in the document: headers_ns to last_token_ns and end_ns count from the moment the final attempt's request had
// been sent, felt_ttft_ns from the call's start, all else from the run's start. Phases, stalls and the reasoning window are
// the final attempt's.
type (
	callJSON struct {
		SpanID    string         `json:"span_id"`
		Start     time.Duration  `json:"start_ns"`
		Side      bool           `json:"side"`
		Model     *string        `json:"model"`
		Provider  *string        `json:"provider"`
		Effort    *string        `json:"effort"`
		Stream    *bool          `json:"stream"`
		Outcome   traces.Outcome `json:"outcome"`
		Attempts  []attemptJSON  `json:"attempts"`
		Headers   *time.Duration `json:"headers_ns"`
		FirstByte *time.Duration `json:"first_byte_ns"`
		Event     *time.Duration `json:"first_event_ns"`
		TTFT      *time.Duration `json:"ttft_ns"`

		FirstReasoning *time.Duration `json:"first_reasoning_ns"`
		LastReasoning  *time.Duration `json:"last_reasoning_ns"`
		FirstVisible   *time.Duration `json:"first_visible_ns"`
		LastVisible    *time.Duration `json:"last_visible_ns"`
		FirstToolCall  *time.Duration `json:"first_tool_call_ns"`
		LastToolCall   *time.Duration `json:"last_tool_call_ns"`
		LastToken      *time.Duration `json:"last_token_ns"`
		End            *time.Duration `json:"end_ns"`

		Phases            []phaseJSON    `json:"phases"`
		TPOT              *time.Duration `json:"tpot_ns"`
		TPOTFlowing       *time.Duration `json:"tpot_excluding_stalls_ns"`
		VisibleTPOT       *time.Duration `json:"visible_tpot_ns"`
		FeltTTFT          *time.Duration `json:"felt_ttft_ns"`
		ReasoningWindow   *windowJSON    `json:"reasoning_window"`
		ReasoningEstimate *time.Duration `json:"reasoning_estimate_ns"`
		OutputRate        *float64       `json:"output_tokens_per_second"`
		EndToEndRate      *float64       `json:"end_to_end_tokens_per_second"`
		CharsPerSecond    *float64       `json:"chars_per_second"`
		CharsPerToken     *float64       `json:"chars_per_token"`
		Chunks            *int           `json:"chunks"`
		Gaps              gapsJSON       `json:"chunk_gap_ns"`
		Stalls            []stallJSON    `json:"stalls"`

		Visibility   *string           `json:"reasoning_visibility"`
		Delivery     *measure.Delivery `json:"delivery"`
		FinishReason *string           `json:"finish_reason"`
		ToolCallIDs  []string          `json:"tool_call_ids"`
		Usage        usageJSON         `json:"usage"`
		Cost         *cost.Amount      `json:"cost"` // in the run's currency; null: unknown, or without prices
	}
	attemptJSON struct {
		Status  *int           `json:"status"`
		Start   time.Duration  `json:"start_ns"`
		End     time.Duration  `json:"end_ns"`
		Outcome traces.Outcome `json:"outcome"`
	}
	phaseJSON struct {
		Phase   traces.Component `json:"phase"`
		Start   time.Duration    `json:"start_ns"`
		End     time.Duration    `json:"end_ns"`
		Quality traces.Quality   `json:"quality"`
	}
	windowJSON struct {
		Start   time.Duration  `json:"start_ns"`
		End     time.Duration  `json:"end_ns"`
		Quality traces.Quality `json:"quality"`
	}
	gapsJSON struct {
		P50 *time.Duration `json:"p50"`
		P95 *time.Duration `json:"p95"`
		P99 *time.Duration `json:"p99"`
		Max *time.Duration `json:"max"`
	}
	stallJSON struct {
		Start time.Duration `json:"start_ns"`
		End   time.Duration `json:"end_ns"`
	}
)

func callOf(c measure.Call) callJSON {
	return callJSON{
		SpanID:            c.Span.ID,
		Start:             c.Start,
		Side:              c.Side,
		Model:             text(c.Model),
		Provider:          text(c.Provider),
		Effort:            text(c.Effort),
		Stream:            c.Stream,
		Outcome:           outcome(c.Outcome),
		Attempts:          list(c.Attempts, attemptOf),
		Headers:           c.Headers,
		FirstByte:         c.FirstByte,
		Event:             c.FirstEvent,
		TTFT:              c.TTFT,
		FirstReasoning:    c.FirstReasoning,
		LastReasoning:     c.LastReasoning,
		FirstVisible:      c.FirstVisible,
		LastVisible:       c.LastVisible,
		FirstToolCall:     c.FirstToolCall,
		LastToolCall:      c.LastToolCall,
		LastToken:         c.LastToken,
		End:               c.End,
		Phases:            list(c.Answer.Phases, phaseOf),
		TPOT:              c.TPOT,
		TPOTFlowing:       c.TPOTFlowing,
		VisibleTPOT:       c.VisibleTPOT,
		FeltTTFT:          c.FeltTTFT,
		ReasoningWindow:   (*windowJSON)(c.ReasoningWindow),
		ReasoningEstimate: c.ReasoningEstimate,
		OutputRate:        c.OutputRate,
		EndToEndRate:      c.EndToEndRate,
		CharsPerSecond:    c.CharsPerSecond,
		CharsPerToken:     c.CharsPerToken,
		Chunks:            c.Chunks,
		Gaps:              gapsJSON(c.Gaps),
		Stalls:            list(c.Stalls, func(s measure.Window) stallJSON { return stallJSON{s.Start, s.End} }),
		Visibility:        text(c.Visibility),
		Delivery:          text(c.Delivery),
		FinishReason:      text(c.FinishReason),
		ToolCallIDs:       list(c.ToolCallIDs, func(id string) string { return id }),
		Usage:             usageOf(c.Usage),
	}
}

func attemptOf(a *traces.Attempt) attemptJSON {
	j := attemptJSON{Start: a.Span.Start, End: a.Span.End, Outcome: outcome(a.Outcome)}
	if a.Status != 0 {
		j.Status = &a.Status
	}
	return j
}

func phaseOf(p traces.Phase) phaseJSON {
	return phaseJSON{p.Component, p.Start, p.End, p.Quality}
}
