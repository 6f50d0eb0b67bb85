package launch_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// A pty is a terminal with a shell on it that has job control.
type pty struct {
	t    *testing.T
	keys *os.File
	out  *bufio.Reader
	said string
}

// openShell runs a shell script on a terminal of its own. $STARTER in it runs a command as launch does, LAUNCH_SCRIPT's.
func openShell(t *testing.T, script string, env ...string) *pty {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal("no terminals here:", err)
	}
	t.Cleanup(func() { keys.Close() })
	var number, unlocked int32
	ioctl(t, keys, syscall.TIOCSPTLCK, &unlocked)
	ioctl(t, keys, syscall.TIOCGPTN, &number)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal("no terminals here:", err)
	}
	defer tty.Close()
	cmd := exec.Command("/bin/sh", "-m", "-c", script)
	cmd.Env = append(append(os.Environ(), "STARTER="+os.Args[0]), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); cmd.Process.Kill(); cmd.Wait() })
	return &pty{t: t, keys: keys, out: bufio.NewReader(keys)}
}

func ioctl(t *testing.T, f *os.File, request uintptr, value *int32) {
	t.Helper()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
		t.Fatal("no terminals here:", errno)
	}
}

// until waits for a line that holds text.
func (p *pty) until(text string) {
	p.t.Helper()
	for {
		line, err := p.out.ReadString('\n')
		p.said += line
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			p.t.Fatalf("the terminal shows %q, want %q in it", p.said, text)
		}
	}
}

func TestKeysReachTheCommandOnce(t *testing.T) {
	for _, tc := range []struct{ name, key, trap string }{
		{"Ctrl-C", "\x03", "INT"},
		{`Ctrl-\`, "\x1c", "QUIT"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := openShell(t, `$STARTER; echo "shell has $?"`,
				`LAUNCH_SCRIPT=n=0; trap 'n=$((n+1))' `+tc.trap+`; echo ready; i=0; while [ $i -lt 30 ]; do sleep 0.02; i=$((i+1)); done; echo "pressed $n"; exit 5`)
			p.until("ready")
			p.keys.WriteString(tc.key)
			p.until("pressed 1")
			p.until("ended 5")
			p.until("shell has 5")
		})
	}
}

func TestTheShellGetsItsTerminalBack(t *testing.T) {
	for _, tc := range []struct{ name, key, script string }{
		{"by Ctrl-Z", "\x1a", `echo ready; read line; echo "read $line"`},
		{"when the command stops itself", "", `echo ready; kill -STOP $$; read line; echo "read $line"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := openShell(t, `$STARTER; echo "stopped $?"; fg; echo "shell has $?"`, "LAUNCH_SCRIPT="+tc.script)
			p.until("ready")
			p.keys.WriteString(tc.key)
			p.until("stopped 1") // 128 + the signal
			p.keys.WriteString("hello\n")
			p.until("read hello")
			p.until("ended 0")
			p.until("shell has 0")
		})
	}
}

func TestAKilledCommandLeavesTheTerminalAsItWas(t *testing.T) {
	p := openShell(t, `$STARTER; stty -a | grep -o ' -*echo '; echo over`, `LAUNCH_SCRIPT=stty raw -echo; kill -KILL $$`)
	p.until("ended 137")
	p.until("over")
	if !strings.Contains(p.said, " echo ") || strings.Contains(p.said, "-echo ") {
		t.Errorf("the terminal shows %q, want its echo on", p.said)
	}
}
