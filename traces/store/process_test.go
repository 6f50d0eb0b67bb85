package store_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/store"
)

// TestMain makes the test binary, where the test below starts it, a process that records until it is killed.
func TestMain(m *testing.M) {
	dir := os.Getenv("STORE_TEST_RECORD")
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := store.Open(dir)
	if err != nil {
		panic(err)
	}
	w, err := s.Create("shared")
	if err != nil {
		panic(err)
	}
	for i := 1; ; i++ {
		if err := w.Write(span(fmt.Sprintf("process%d-%d", os.Getpid(), i))); err != nil || w.Lost() > 0 {
			panic(err)
		}
		fmt.Println(i) // only after it was written
	}
}

func TestProcessesThatAreKilledLoseAtMostTheirLastLine(t *testing.T) {
	const lines = 200
	dir := t.TempDir()
	var children []*exec.Cmd
	var outputs []*bufio.Scanner
	for range 2 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "STORE_TEST_RECORD="+dir)
		output, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		defer child.Process.Kill()
		children, outputs = append(children, child), append(outputs, bufio.NewScanner(output))
	}
	written := map[string]int{} // lines that each process said it had written
	for range lines {           // in turn, so that both write at once
		for i, child := range children {
			if outputs[i].Scan() {
				written[fmt.Sprintf("process%d", child.Process.Pid)]++
			}
		}
	}
	for i, child := range children {
		_ = child.Process.Kill()
		for outputs[i].Scan() {
			written[fmt.Sprintf("process%d", child.Process.Pid)]++
		}
		_ = child.Wait()
	}
	records, problems, err := open(t, dir).Load("shared")
	if err != nil || len(problems) > len(children) {
		t.Fatal(problems, err)
	}
	for _, p := range problems {
		if p.Code != traces.UnreadableLine {
			t.Error(p)
		}
	}
	read := map[string]int{}
	for _, s := range records {
		process, number, _ := strings.Cut(s.SpanID, "-")
		if read[process]++; fmt.Sprint(read[process]) != number {
			t.Fatalf("line %s of %s is out of turn, after %d", number, process, read[process]-1)
		}
	}
	for process, n := range written {
		if n < lines || read[process] < n || read[process] > n+1 { // one may be written and not said
			t.Errorf("%s wrote %d lines, %d were read", process, n, read[process])
		}
	}
	if len(read) != len(children) {
		t.Errorf("read lines of %d processes, want %d", len(read), len(children))
	}
}
