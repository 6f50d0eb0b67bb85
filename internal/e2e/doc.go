// Package e2e runs the longpole binary against real peers that are too large for the project's own go.mod.
//
// It is a module of its own: its go.mod pins the real Jaeger as a Go tool, which the test builds once (minutes) and
// keeps in the user's cache directory under the hash of go.sum. Run it with
//
//	cd internal/e2e && go test ./...
//
// With the tag agents, real agents from npm's registry are installed (once, into the same place) and run behind
// `longpole record`:
//
//	cd internal/e2e && go test -tags agents -run Agents -v ./...
package e2e
