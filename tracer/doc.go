// Package tracer records what an agent does as OpenTelemetry spans.
package tracer
