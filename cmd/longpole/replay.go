package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/seed46266073/longpole/tracer/cassette"
	"github.com/seed46266073/longpole/traces"
)

// runReplay serves a cassette, in the place of the simulated models.
func runReplay(ctx context.Context, opt modelOptions, stderr io.Writer) error {
	speed, err := parseSpeed(opt.speed)
	if err != nil {
		return err
	}
	f, err := os.Open(opt.replay)
	if err != nil {
		return fmt.Errorf("cassette: %w", err)
	}
	recorded, err := cassette.Read(f)
	f.Close()
	if err != nil {
		return fmt.Errorf("%s: %w", opt.replay, err)
	}
	if recorded.CutShort {
		fmt.Fprintf(stderr, "longpole: %s was cut short when it was written: its last response is left out\n", opt.replay)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", opt.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", opt.listen, err)
	}
	fmt.Fprintf(stderr, "%s of %s on http://%s at %gx\n", traces.FormatCount(len(recorded.Exchanges), "recorded response"), opt.replay, listener.Addr(), speed)
	handler := cassette.NewHandler(recorded, speed)
	if err := serve(ctx, listener, handler); err != nil {
		return err
	}
	if n := handler.Left(); n > 0 {
		fmt.Fprintf(stderr, "%s were not asked for\n", traces.FormatCount(n, "response"))
	}
	return nil
}
