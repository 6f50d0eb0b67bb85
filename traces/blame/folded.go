package blame

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// WriteFolded writes the graph as folded stacks, which flamegraph.pl, inferno and speedscope read: one sorted line for each node with
// time of its own, the names down to it between semicolons, a space and nanoseconds. A difference has no such form.
func (g *Graph) WriteFolded(w io.Writer) error {
	sums := map[string]time.Duration{}
	negative := false
	g.Root.All(func(path []string, node *Node) {
		negative = negative || node.Own < 0
		if node.Own != 0 {
			sums[fold(path)] += node.Own // names that differ only in what folding cannot keep
		}
	})
	if negative {
		return fmt.Errorf("folded stacks have no times below 0; write both graphs and use difffolded.pl")
	}
	out := bufio.NewWriter(w)
	for _, stack := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(out, "%s %d\n", stack, sums[stack])
	}
	return out.Flush()
}

// number is a last word that readers would take for a count.
var number = regexp.MustCompile(` (\S*[0-9.])$`)

// fold joins names: a semicolon in a name becomes a comma, and a number at the end is tied to the word before it.
func fold(path []string) string {
	var b strings.Builder
	for i, name := range path {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(strings.ReplaceAll(name, ";", ","))
	}
	return number.ReplaceAllString(b.String(), "_$1")
}
