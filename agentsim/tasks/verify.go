package tasks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/tools"
)

// A verifier is Task.Verify.
type verifier = func(ctx context.Context, answer string, dir *os.Root) (correct bool, says string)

// verifyHelp names the ways in which an own task can be verified.
const verifyHelp = "verify: exactly one of command, exact, contains, regexp, number"

// verifier reads how a task of a file is verified, and which program that needs.
func (n node) verifier(home string) (verify verifier, program string, err error) {
	keys, err := n.known("verify", "command", "timeout", "exact", "contains", "regexp", "number", "tolerance")
	if err != nil {
		return nil, "", err
	}
	ways := 0
	for _, key := range []string{"command", "exact", "contains", "regexp", "number"} {
		if !keys[key].empty() {
			ways++
		}
	}
	switch {
	case ways != 1:
		return nil, "", n.fail("want %s", verifyHelp)
	case !keys["timeout"].empty() && keys["command"].empty():
		return nil, "", keys["timeout"].fail("timeout is for a command")
	case !keys["tolerance"].empty() && keys["number"].empty():
		return nil, "", keys["tolerance"].fail("tolerance is for a number")
	case !keys["command"].empty():
		return keys["command"].command(keys["timeout"], home)
	case !keys["number"].empty():
		verify, err = keys["number"].number(keys["tolerance"])
	case !keys["exact"].empty():
		verify, err = keys["exact"].exact()
	case !keys["contains"].empty():
		verify, err = keys["contains"].contains()
	default:
		verify, err = keys["regexp"].regexp()
	}
	return verify, "", err
}

func (n node) exact() (verifier, error) {
	want, err := n.text("exact")
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, answer string, _ *os.Root) (bool, string) {
		return strings.TrimSpace(answer) == strings.TrimSpace(want), "the answer is to be the expected text"
	}, nil
}

func (n node) contains() (verifier, error) {
	want, err := n.texts("contains")
	if err != nil {
		return nil, err
	}
	for i := range want {
		if want[i] = strings.ToLower(strings.TrimSpace(want[i])); want[i] == "" {
			return nil, n.fail("every answer contains an empty text")
		}
	}
	if len(want) == 0 {
		return nil, n.fail("want a text or a list of them that the answer contains")
	}
	return func(_ context.Context, answer string, _ *os.Root) (bool, string) {
		answer = strings.ToLower(answer)
		for i, text := range want {
			if !strings.Contains(answer, text) {
				return false, fmt.Sprintf("text %d of %d is missing", i+1, len(want))
			}
		}
		return true, "the answer contains what is expected"
	}, nil
}

func (n node) regexp() (verifier, error) {
	text, err := n.text("regexp")
	if err != nil {
		return nil, err
	}
	pattern, err := regexp.Compile(strings.TrimSpace(text))
	if err != nil {
		return nil, n.fail("%s; see https://pkg.go.dev/regexp/syntax", oneLine(err.Error()))
	}
	return func(_ context.Context, answer string, _ *os.Root) (bool, string) {
		return pattern.MatchString(answer), "the answer is to match the pattern"
	}, nil
}

// number wants one of the answer's numbers to be this one: within the tolerance, else to half a unit of its last decimal.
func (n node) number(tolerance node) (verifier, error) {
	text, _ := n.scalar()
	want, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(want, 0) || math.IsNaN(want) {
		return nil, n.fail("want a number, with a point before its decimals")
	}
	_, decimals, _ := strings.Cut(text, ".")
	within := math.Pow(10, -float64(len(decimals)))/2 + 1e-9
	if !tolerance.empty() {
		text, _ := tolerance.scalar()
		if within, err = strconv.ParseFloat(text, 64); err != nil || !(within >= 0) || math.IsInf(within, 0) {
			return nil, tolerance.fail("want a number of at least 0")
		}
	} else if strings.ContainsAny(text, "eExX") {
		return nil, n.fail("say the tolerance of a number with an exponent")
	}
	return func(_ context.Context, answer string, _ *os.Root) (bool, string) {
		for _, x := range numbers(answer) {
			if math.Abs(x-want) <= within {
				return true, "the answer has the expected number"
			}
		}
		return false, "the answer lacks the expected number"
	}, nil
}

// A command decides by its exit status. It is the user's own: it runs because their file says so.
type command struct {
	args    []string // program and arguments
	timeout time.Duration
	home    string // folder of the file
}

const defaultVerifyTime = time.Minute

// command reads a command: a list is a program and its arguments, a text a line for sh. A program with a slash lies beside the
// file, out of reach of the agent.
func (n node) command(timeout node, home string) (verifier, string, error) {
	c := command{timeout: defaultVerifyTime, home: home}
	if line, ok := n.scalar(); ok {
		c.args = []string{"sh", "-c", line}
		if strings.TrimSpace(line) == "" {
			return nil, "", n.fail("want a command")
		}
	} else {
		args, err := n.texts("command")
		if err != nil {
			return nil, "", err
		}
		if len(args) == 0 || args[0] == "" {
			return nil, "", n.fail("want a program and its arguments")
		}
		c.args = args
		if strings.ContainsRune(args[0], '/') && !filepath.IsAbs(args[0]) {
			c.args[0] = filepath.Join(home, filepath.FromSlash(args[0]))
		}
	}
	if !timeout.empty() {
		text, _ := timeout.scalar()
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return nil, "", timeout.fail("want a duration, as 30s or 2m")
		}
		c.timeout = d
	}
	return c.verify, c.args[0], nil
}

// verify runs the command in the working folder, the answer on its standard input, and TASK_DIR naming the folder of the file.
func (c command) verify(ctx context.Context, answer string, dir *os.Root) (bool, string) {
	ctx, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	cmd := tools.Command(ctx, dir.Name(), c.args[0], c.args[1:]...)
	cmd.Env = append(cmd.Env, "TASK_DIR="+c.home)
	cmd.Stdin = strings.NewReader(answer)
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return false, fmt.Sprintf("the verifier took longer than %v", c.timeout)
	case errors.As(err, &exit):
		return false, fmt.Sprintf("the verifier ended with exit status %d", exit.ExitCode())
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return false, "the verifier could not be started"
	}
	return true, "the verifier ended with exit status 0"
}
