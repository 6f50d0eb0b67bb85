package dialect

import (
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// pydantic is Pydantic AI (2.33) and Pydantic Logfire (4.41).
var pydantic = family{
	name: "Pydantic AI and Logfire",
	is: func(rec *traces.Record) bool {
		return rec.Scope == "pydantic-ai" || strings.HasPrefix(rec.Scope, "logfire") || hasPrefix(rec, "logfire.")
	},
	roles: func(rec *traces.Record) traces.Role {
		switch {
		case rec.Attrs.String("logfire.span_type") == "log":
			return traces.RoleInternal
		case rec.Name == "agent run", strings.HasSuffix(rec.Name, " run") && rec.Attrs.Has("agent_name"):
			return traces.RoleAgent
		case rec.Name == "running tool", strings.HasPrefix(rec.Name, "running tool: "):
			return traces.RoleTool
		}
		return ""
	},
	tree: streamedLater,
}

// unpend turns a pending span of Logfire, which stands for one that had just started, into that span's own record, still open:
// the one that is written at its end then replaces it.
func unpend(rec *traces.Record) bool {
	if rec.Attrs.String("logfire.span_type") != "pending_span" {
		return false
	}
	rec.SpanID, rec.ParentID = rec.ParentID, strings.TrimLeft(rec.Attrs.String("logfire.pending_parent_id"), "0")
	if rec.ParentID != "" {
		rec.ParentID = rec.Attrs.String("logfire.pending_parent_id")
	}
	rec.End = 0
	return true
}

// streamedLater lengthens a streamed call. Logfire's wrapper of a provider's SDK ends the request's span when the stream begins,
// and logs the stream's duration at its end.
func streamedLater(_ *batch, s *span) {
	took, ok := s.Attrs.Float("duration")
	if !ok || s.Attrs.String("logfire.span_type") != "log" || s.parent == nil || !strings.Contains(s.Attrs.String("logfire.msg_template"), "streaming response") {
		return
	}
	began := s.Start - int64(took*1e9)
	var request *span
	for _, m := range s.parent.kids {
		if m.isModel() && m.End <= s.Start && near(m.End, began) && (request == nil || m.End > request.End) {
			request = m
		}
	}
	if request != nil {
		request.End = s.Start
	}
}

func near(a, b int64) bool { return max(a-b, b-a) < int64(time.Second) }
