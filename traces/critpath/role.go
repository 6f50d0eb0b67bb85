package critpath

import "github.com/seed46266073/longpole/traces"

// A role is traces.Role as a small number: the walk asks for it all the time.
type role uint8

const (
	other role = iota // client, server, producer, consumer, internal: booked like what they are part of
	agent
	turn // a step
	model
	attempt
	phase
	tool
	wait
)

func roleOf(s *traces.Span) role {
	switch s.Role {
	case traces.RoleAgent:
		return agent
	case traces.RoleStep:
		return turn
	case traces.RoleModel:
		return model
	case traces.RoleAttempt:
		return attempt
	case traces.RolePhase:
		return phase
	case traces.RoleTool:
		return tool
	case traces.RoleWait:
		return wait
	}
	return other
}

// owns reports whether spans without a role of their own are booked like the nearest r above them.
func (r role) owns() bool { return r == model || r == attempt || r == tool }

// isKind reports whether s is of an OpenTelemetry kind, by its kind or by its role.
func isKind(s *traces.Span, kind traces.Kind) bool {
	if s.Kind == kind {
		return true
	}
	switch s.Role {
	case traces.RoleClient:
		return kind == traces.KindClient
	case traces.RoleServer:
		return kind == traces.KindServer
	case traces.RoleProducer:
		return kind == traces.KindProducer
	case traces.RoleConsumer:
		return kind == traces.KindConsumer
	}
	return false
}

// failed reports whether s is an attempt that failed or was given up for another; a model call may be its own only attempt.
func failed(s *traces.Span) bool {
	return s.Has(traces.FlagFailed) && (s.Role == traces.RoleAttempt || s.Role == traces.RoleModel)
}
